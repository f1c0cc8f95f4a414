import Glibc

struct NotConnected: Error {}

struct RawReply {
  var status: Int
  var head: String
  var body: String
}

/// A client that sends what it is told, byte for byte.
final class RawClient {
  private(set) var descriptor: CInt
  private(set) var received: [UInt8] = []
  /// The server has closed the connection.
  private(set) var ended = false

  init(path: String) throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) ?? nil,
        socklen_t(bytes.count))
    }
    if result != 0 { throw NotConnected() }
  }

  deinit { close() }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends what fits now; the count of bytes sent, or -1.
  @discardableResult func send(_ bytes: [UInt8]) -> Int {
    Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
  }

  func shutdownSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Reads what is there.
  func receive() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while !ended {
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      if count > 0 {
        received += buffer[..<count]
      } else if count == 0 || errno != EAGAIN {
        ended = true
      } else {
        return
      }
    }
  }

  /// The first whole reply received, taken away; nil where it is not whole yet.
  func takeReply() -> RawReply? {
    let text = String(decoding: received, as: UTF8.self)
    guard let gap = text.firstRange(of: "\r\n\r\n") else { return nil }
    let head = String(text[..<gap.lowerBound])
    var length = 0
    for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length: ") {
      length = Int(line.dropFirst("content-length: ".count)) ?? 0
    }
    let start = head.utf8.count + 4
    guard received.count >= start + length else { return nil }
    let body = String(decoding: received[start..<(start + length)], as: UTF8.self)
    received.removeFirst(start + length)
    return RawReply(status: Int(head.split(separator: " ")[1]) ?? 0, head: head, body: body)
  }
}
