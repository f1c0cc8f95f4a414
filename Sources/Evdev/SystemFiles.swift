import Glibc
import Linux

/// The files in which the kernel describes devices. A test replaces them, so that a device can vanish between any two
/// calls.
public protocol SystemFiles {
  /// The names in a folder; empty if it does not exist.
  func names(in folder: String) -> [String]
  /// The number of a character device, as `/sys/dev/char` writes it: `13:67`; nil if `node` is not one.
  func deviceNumber(of node: String) -> String?
  /// Without symbolic links; nil if it does not exist.
  func realPath(_ path: String) -> String?
  /// The content of a small file; nil if it cannot be read.
  func text(_ path: String) -> String?
}

/// Those of this machine.
public struct MachineFiles: SystemFiles {
  public init() {}

  public func names(in folder: String) -> [String] { (try? Linux.names(in: folder)) ?? [] }

  public func deviceNumber(of node: String) -> String? {
    var status = stat()
    guard stat(node, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
    // As makedev(3) packs them.
    let number = UInt64(status.st_rdev)
    return "\(number >> 8 & 0xfff | number >> 32 & ~0xfff):\(number & 0xff | number >> 12 & 0xffff_ff00)"
  }

  public func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  public func text(_ path: String) -> String? {
    (try? readFile(path, limit: 65_536)).map { String(decoding: $0, as: UTF8.self) }
  }
}
