import Glibc

/// A folder of its own for one test, removed with all it holds when the test ends.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/touchgate-store-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Failed(errno: errno) }
    path = String(cString: made)
  }

  deinit {
    umount2(path, CInt(MNT_DETACH))  // Where a test has mounted something; nothing else has.
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  struct Failed: Error {
    let errno: Int32
  }

  /// What lies in it, in order.
  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func read(_ name: String) throws -> [UInt8] {
    guard let file = fopen("\(path)/\(name)", "r") else { throw Failed(errno: errno) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Int(try status(name).st_size))
    guard fread(&bytes, 1, bytes.count, file) == bytes.count else { throw Failed(errno: EIO) }
    return bytes
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    guard let file = fopen("\(path)/\(name)", "w") else { throw Failed(errno: errno) }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failed(errno: EIO) }
  }

  func status(_ name: String) throws -> stat {
    var status = stat()
    guard stat("\(path)/\(name)", &status) == 0 else { throw Failed(errno: errno) }
    return status
  }

  /// The lowest nine bits of the mode.
  func mode(_ name: String) throws -> mode_t {
    try status(name).st_mode & 0o777
  }
}
