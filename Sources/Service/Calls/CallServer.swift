import HTTPTypes
import SocketServer
import Timeline

/// The socket, as the calls need it: whole requests come from it, answers and streams go to it.
protocol CallServer: AnyObject {
  /// Requests that were completed since the last call, in that order.
  func takeRequests() -> [IncomingRequest]
  /// Requests and streams whose clients are gone, and streams that have ended, since the last call.
  func takeGone() -> [RequestToken]
  /// Admits a request whose answer comes late or stays open, or returns the refusal.
  func keepOpen(_ token: RequestToken) -> HTTPResponse?
  func respond(_ token: RequestToken, _ response: HTTPResponse)
  func openStream(_ token: RequestToken)
  /// False: the client reads too slowly, or is gone.
  func write(_ token: RequestToken, _ bytes: [UInt8], now: Instant) -> Bool
  /// Bytes that the client has not read yet; nil: there is no such stream.
  func unsent(_ token: RequestToken) -> Int?
  /// Ends a stream after everything that was written.
  func end(_ token: RequestToken)
}

extension HTTPServer: CallServer {}
