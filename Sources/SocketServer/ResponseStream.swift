import CMicrohttpd
import HTTPTypes
import Timeline

/// An answer that stays open: the application appends lines, and libmicrohttpd takes them as the client reads.
final class ResponseStream {
  /// Most bytes that wait for the client; beyond, `HTTPServer.write` returns false.
  static let room = 256 * 1024

  let token: RequestToken
  private(set) var buffer: [UInt8] = []
  private var taken = 0
  /// Nothing more is appended: the client gets the rest, then the end.
  var isEnded = false
  /// libmicrohttpd is suspended, because there is nothing to send.
  var isSuspended = false
  /// Since when the client has read nothing although bytes are waiting.
  private(set) var stalledSince: Instant?

  init(_ token: RequestToken) {
    self.token = token
  }

  var count: Int { buffer.count - taken }

  /// - Returns: false if there is no room; then nothing is appended.
  func append(_ bytes: [UInt8], now: Instant) -> Bool {
    if count > 0 && count + bytes.count > Self.room { return false }
    if count == 0 { stalledSince = now }
    buffer += bytes
    return true
  }

  func take(into target: UnsafeMutablePointer<CChar>, at most: Int, now: Instant) -> Int {
    let number = min(most, count)
    buffer.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      UnsafeMutableRawPointer(target).copyMemory(from: start + taken, byteCount: number)
    }
    taken += number
    stalledSince = count > 0 ? now : nil
    if count == 0 || taken > Self.room {
      buffer.removeFirst(taken)
      taken = 0
    }
    return number
  }
}
