import CLinux
import Glibc
import Linux

/// The file whose lock an `Exec=` handler inherits: while it is held, the handler runs, even if the service that
/// started it is gone.
public enum HandlerLock {
  /// Creates the file and takes its lock. Throws `HandlersError` if that fails or another process holds it.
  static func take(_ path: String) throws(HandlersError) -> FileDescriptor {
    do throws(Errno) {
      return try FileDescriptor(owning: tg_open_lock(path))
    } catch {
      throw HandlersError("\(path): \(error)")
    }
  }

  /// Whether a process holds the lock. The file is removed if none does.
  public static func isHeld(_ path: String) -> Bool {
    guard let file = try? FileDescriptor(opening: path, O_RDONLY) else { return false }
    if flock(file.raw, LOCK_EX | LOCK_NB) != 0 && Errno().isWouldBlock { return true }
    unlink(path)
    return false
  }
}
