public import Glibc
public import Timeline

/// The content of a file, at most `limit` bytes of it. Throws `Errno`.
public func readFile(_ path: String, limit: Int, flags: CInt = 0) throws(Errno) -> [UInt8] {
  let file = try FileDescriptor(opening: path, O_RDONLY | flags)
  return try file.readToEnd(limit: limit)
}

/// Replaces a file in one step, synchronized and with this mode whatever the umask; the other name that it has until then
/// is `PATH.new`. Throws `Errno`; the file is then unchanged.
public func replaceFile(_ path: String, with bytes: [UInt8], mode: mode_t) throws(Errno) {
  let draft = path + ".new"
  unlink(draft)
  do throws(Errno) {
    let file = try FileDescriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    try file.write(bytes)
    if fchmod(file.raw, mode) != 0 || fsync(file.raw) != 0 || rename(draft, path) != 0 { throw Errno() }
  } catch {
    unlink(draft)
    throw error
  }
}

/// Whether there is a file of any kind, and its folders may be searched.
public func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// When the content of a file was last changed; nil if that cannot be read.
public func lastChange(of path: String) -> WallTime? {
  var status = stat()
  guard stat(path, &status) == 0 else { return nil }
  return WallTime(millisecondsSinceEpoch: Int64(status.st_mtim.tv_sec) * 1000)
}

/// The names in a folder, `.` and `..` included, in no order. Throws `Errno`.
public func names(in folder: String) throws(Errno) -> [String] {
  guard let stream = opendir(folder) else { throw Errno() }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(
      withUnsafeBytes(of: &entry.pointee.d_name) { name in String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) })
  }
  return names
}
