import FoundationEssentials
import Linux
import Timeline
import TouchgateAPI
import TouchgateClient

/// Keeps the stream of a turn or a hold while a command runs. If the connection is lost, takes a hold in its place, which
/// begins at once; if it cannot, or the service has ended the turn, says so on standard error: the command continues, and
/// nothing protects it any more.
final class StreamWatch {
  /// How long a new connection is tried for: a service that is restarted is back by then.
  static let patience: Duration = .seconds(30)
  /// The longest that one attempt keeps the caller from the command's end.
  private static let attempt: Duration = .seconds(1)

  /// `turn` or `hold`.
  private let subject: String
  private let service: TouchgateConnection
  private var request: HoldRequest
  private var stream: ReplyStream?
  private var givesUpAt: Instant?

  /// `id`: of the turn or hold. `request`: the hold to be taken if the connection is lost.
  init(
    _ subject: String, _ id: String?, _ stream: ReplyStream, _ service: TouchgateConnection, orHold request: HoldRequest
  ) {
    self.subject = subject
    self.stream = stream
    self.service = service
    self.request = request
    self.request.resumes = id
  }

  /// To be watched for reading; nil while there is no connection.
  var descriptor: CInt? { stream?.descriptor }
  /// When to call `reconnect`, in milliseconds from now; -1: never.
  var timeout: CInt { givesUpAt == nil ? -1 : 100 }

  /// Reads what has arrived.
  func read() {
    if let line = try? stream?.nextLine() {
      guard let end = try? JSONDecoder().decode(TurnEndReply.self, from: Data(line)) else {
        // The hold that it has after a lost connection may be another one.
        if let hold = try? JSONDecoder().decode(HoldReply.self, from: Data(line)) { request.resumes = hold.id }
        return
      }
      stream = nil
      report(end.ended)
      return
    }
    stream = nil
    givesUpAt = SystemClock.monotonic + Self.patience
  }

  /// Tries once, if the connection is lost.
  func reconnect() {
    guard let end = givesUpAt else { return }
    do throws(ClientError) {
      stream = try Self.takeAgain(request, service)
      givesUpAt = nil
      StandardStream.error.report("the connection to touchgated was lost; a hold keeps updates from being applied now")
    } catch {
      if SystemClock.monotonic < end { return }
      givesUpAt = nil
      report("\(error)")
    }
  }

  /// Takes a hold in the place of one whose connection was lost, if the service is back.
  static func takeAgain(_ request: HoldRequest, _ service: TouchgateConnection) throws(ClientError) -> ReplyStream {
    let stream = try TouchgateConnection(path: service.path, timeout: attempt).boundHold(request)
    stream.waitWithoutLimit()
    return stream
  }

  private func report(_ reason: String) {
    StandardStream.error.report(
      "the \(subject) has ended, and updates may be applied while the command runs: \(reason)")
  }
}
