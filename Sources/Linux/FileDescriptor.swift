public import Glibc

/// An open file descriptor that is closed with its owner. Wherever one is kept, it is kept in this type; a bare number
/// only travels as an argument.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number, for a system call. Valid while this value lives.
  public let raw: CInt

  /// Takes over a descriptor. Throws `Errno` if it is negative: `FileDescriptor(owning: open(…))`.
  public init(owning raw: CInt) throws(Errno) {
    if raw < 0 { throw Errno() }
    self.raw = raw
  }

  /// Opens a file, close-on-exec. `mode` counts only with `O_CREAT`.
  public init(opening path: String, _ flags: CInt, mode: mode_t = 0) throws(Errno) {
    try self.init(owning: retry { open(path, flags | O_CLOEXEC, mode) })
  }

  deinit { close(raw) }

  /// Reads at most `buffer.count` bytes; 0 is the end of the file. Throws `Errno`; `.isWouldBlock` if nothing is there.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let size = retry { Glibc.read(raw, buffer.baseAddress, buffer.count) }
    if size < 0 { throw Errno() }
    return size
  }

  /// Writes all of `bytes`, in as many calls as that takes.
  public func write(_ bytes: some Collection<UInt8>) throws(Errno) {
    let bytes = Array(bytes)
    var written = 0
    while written < bytes.count {
      let size = bytes[written...].withUnsafeBytes { rest in retry { Glibc.write(raw, rest.baseAddress, rest.count) } }
      if size <= 0 { throw size < 0 ? Errno() : Errno(EIO) }
      written += size
    }
  }

  /// Reads up to the end of the file, at most `limit` bytes.
  public func readToEnd(limit: Int) throws(Errno) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
    while result.count < limit {
      let room = min(buffer.count, limit - result.count)
      let size = retry { Glibc.read(raw, &buffer, room) }
      if size < 0 { throw Errno() }
      if size == 0 { break }
      result += buffer[..<size]
    }
    return result
  }
}
