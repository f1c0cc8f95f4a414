import Glibc
import Linux

/// Why there is no virtual touchscreen.
public enum VirtualTouchError: Error, Equatable, CustomStringConvertible {
  case cannotOpenUinput(errno: Int32)
  case deviceRefused(name: String, errno: Int32)
  case cannotOpen(node: String, errno: Int32)
  case cannotGrab(node: String, errno: Int32)

  public var description: String {
    switch self {
    case .cannotOpenUinput(let code) where code == EACCES || code == EPERM:
      "/dev/uinput cannot be opened: \(Errno(code)); run as root, or give your user the right to write it"
    case .cannotOpenUinput(let code):
      "/dev/uinput cannot be opened: \(Errno(code)); load the module with: modprobe uinput"
        + " (a container or a kernel without CONFIG_INPUT_UINPUT has none: use the test VM, Tests/vm/run)"
    case .deviceRefused(let name, let code):
      "the kernel does not make a device '\(name)': \(Errno(code)); "
        + "check its ranges: no maximum may be below its minimum"
    case .cannotOpen(let node, let code):
      "\(node) cannot be opened: \(Errno(code))"
    case .cannotGrab(let node, let code) where code == EBUSY:
      "\(node) cannot be grabbed: another process has grabbed it"
    case .cannotGrab(let node, let code):
      "\(node) cannot be grabbed: \(Errno(code))"
    }
  }
}
