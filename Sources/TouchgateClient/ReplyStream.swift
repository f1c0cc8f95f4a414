/// An answer that stays open, read line by line. The connection is closed with the object, and a hold, a turn or a
/// subscription that it carries ends.
public final class ReplyStream {
  private var stream: UnixStream
  private var buffer: [UInt8] = []

  /// Returns when the answer has begun. Throws `refused` if its status is not 200.
  init(
    _ connection: TouchgateConnection, _ method: String, _ target: String, _ body: [UInt8] = []
  ) throws(ClientError) {
    stream = try UnixStream(path: connection.path, timeout: connection.timeout)
    try stream.send(TouchgateConnection.request(method, target, body))
    var head: [UInt8] = []
    while HTTPReply.headEnd(head) == nil {
      let piece = try stream.receive()
      if piece.isEmpty { throw .noReply(path: connection.path) }
      head += piece
      if head.count > 64 * 1024 { throw .malformedReply("the header has no end") }
    }
    let end = HTTPReply.headEnd(head) ?? head.count
    let words = String(decoding: head[..<end], as: UTF8.self).split(separator: " ", maxSplits: 2)
    if words.count >= 2, words[1] == "200" {
      buffer = Array(head[(end + 4)...])
      return
    }
    let reply = try HTTPReply(parsing: head + (try stream.receiveAll(limit: 1024 * 1024)))
    throw .refused(status: reply.status, connection.problem(reply.status, reply.body))
  }

  /// From now on `nextLine` waits without a limit, whatever the connection's time-out.
  public func waitWithoutLimit() { stream.waitWithoutLimit() }

  /// To be watched for reading; then `nextLine` returns a line or the end, except one that came before.
  public var descriptor: CInt { stream.raw }

  /// Waits for the next line and returns it without its newline; nil if the service has ended the stream.
  public func nextLine() throws(ClientError) -> [UInt8]? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeFirst(end + 1)
        return line
      }
      let piece = try stream.receive()
      if piece.isEmpty { return nil }
      buffer += piece
    }
  }
}
