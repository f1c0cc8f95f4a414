import Glibc
import Linux
import Timeline

/// The files of the store: the database, its write-ahead log, and the index of the log.
struct StoreFiles {
  let path: String

  private static let suffixes = ["", "-wal", "-shm"]

  /// Creates the database file if it is missing: empty, with mode 0600 whatever the umask (open(2)); SQLite gives the
  /// other two the same mode. Then checks for problems that SQLite would report later and less clearly.
  func create() throws(StoreError) {
    // With O_EXCL no descriptor of an existing database is ever opened: closing it would drop SQLite's locks.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      let result = fchmod(descriptor, 0o600)
      let reason = errno
      Glibc.close(descriptor)
      if result != 0 { throw cannotOpen(reason) }
    } else if errno != EEXIST {
      throw cannotOpen(errno)
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw cannotOpen(errno) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw cannotOpen(EISDIR) }
    guard access(path, R_OK | W_OK) == 0 else { throw cannotOpen(errno) }
    // SQLite silently deletes the log of an empty database.
    var log = stat()
    if status.st_size == 0, stat(path + "-wal", &log) == 0, log.st_size > 0 {
      throw .damaged(path: path, message: "the file is empty, but its -wal is not")
    }
  }

  /// Renames all three to `PATH.damaged-20261130T021407.250Z` (and `…-wal`, `…-shm`, as SQLite expects them). Returns
  /// the new path.
  func setAside(now: WallTime) throws(StoreError) -> String {
    let base = damagedPath(now)
    var target = base
    var number = 1
    while Self.suffixes.contains(where: { access(target + $0, F_OK) == 0 }) {
      number += 1
      target = "\(base)-\(number)"
    }
    for suffix in Self.suffixes where rename(path + suffix, target + suffix) != 0 && errno != ENOENT {
      throw cannotOpen(errno)
    }
    return target
  }

  /// Which file has a name.
  struct Identity: Equatable {
    let device: dev_t
    let number: ino_t
  }

  /// Of the database and of its log; nil for one that is missing. While the store is open they stay the same.
  var identities: [Identity?] {
    ["", "-wal"].map { suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? Identity(device: status.st_dev, number: status.st_ino) : nil
    }
  }

  /// Copies the log to `PATH.damaged-TIME-wal`. Returns the copy's path; nil if that fails.
  func copyLog(now: WallTime) -> String? {
    let target = damagedPath(now) + "-wal"
    do throws(Errno) {
      let bytes = try readFile(path + "-wal", limit: .max)
      try FileDescriptor(opening: target, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600).write(bytes)
      return target
    } catch {
      if error.code != EEXIST { unlink(target) }
      return nil
    }
  }

  private func damagedPath(_ now: WallTime) -> String {
    path + ".damaged-" + now.rfc3339.filter { $0 != "-" && $0 != ":" }
  }

  private func cannotOpen(_ errno: Int32) -> StoreError {
    .cannotOpen(path: path, errno: errno, message: "")
  }
}
