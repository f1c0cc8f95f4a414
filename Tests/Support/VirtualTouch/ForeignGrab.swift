import CLinux
import Glibc

/// Another program that has grabbed a device (EVIOCGRAB): nobody else gets its events while this object lives.
public final class ForeignGrab {
  private let descriptor: CInt

  /// Grabs `/dev/input/eventN` through a separate descriptor.
  public init(node: String) throws(VirtualTouchError) {
    descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(node: node, errno: errno) }
    guard tg_evdev_grab(descriptor, 1) == 0 else {
      let code = errno
      close(descriptor)
      throw .cannotGrab(node: node, errno: code)
    }
  }

  /// Closing ends the grab.
  deinit { close(descriptor) }
}
