import Glibc

/// The content of a file, at most `limit` bytes of it. Throws `Errno`.
public func readFile(_ path: String, limit: Int, flags: CInt = 0) throws(Errno) -> [UInt8] {
  let file = try FileDescriptor(opening: path, O_RDONLY | flags)
  return try file.readToEnd(limit: limit)
}
