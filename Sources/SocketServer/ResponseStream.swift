import CMicrohttpd
import HTTPTypes
import Timeline

/// An answer that goes on: lines are put in by the application, and taken out by libmicrohttpd as the client reads.
final class ResponseStream {
  /// A client that reads more slowly is told so by `HTTPServer.write`.
  static let room = 256 * 1024

  let token: RequestToken
  let headers: [HTTPHeader]
  private(set) var buffer: [UInt8] = []
  private var taken = 0
  /// No more comes: the client is sent what is there, then the end.
  var isEnded = false
  /// libmicrohttpd has been told to wait, because there is nothing to send.
  var isSuspended = false
  /// Since when the client has taken nothing of what is there.
  private(set) var stalledSince: Instant?

  init(_ token: RequestToken, headers: [HTTPHeader]) {
    self.token = token
    self.headers = headers
  }

  var count: Int { buffer.count - taken }

  /// False where there is no room for it; then nothing of it is taken.
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
