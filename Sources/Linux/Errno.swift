public import Glibc

/// The reason why a system call failed (errno(3)).
public struct Errno: Error, Equatable, Sendable, CustomStringConvertible {
  public let code: CInt

  public init(_ code: CInt) { self.code = code }

  /// What the last system call of this thread left in `errno`. To be read at once after the call.
  public init() { code = errno }

  /// The C library's text, such as `No such file or directory`.
  public var description: String { String(cString: strerror(code)) }

  /// Nothing is there now; the descriptor does not block.
  public var isWouldBlock: Bool { code == EAGAIN || code == EWOULDBLOCK }
}

/// Repeats a system call that a signal interrupted (`EINTR`); returns what it returns otherwise.
@inlinable
public func retry<Value: SignedInteger>(_ call: () -> Value) -> Value {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
