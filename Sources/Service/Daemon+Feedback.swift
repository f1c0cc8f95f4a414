import ControlAPI
import EventLoop
import HTTPTypes
import Haptics
import Linux
import Scheduling
import SocketServer
import Timeline
import TouchgateAPI
import UpdateStore

/// Haptics around updates and for requests. The action of a call is what the service would do anyway.
extension Daemon {
  /// `POST /v1/feedback`: answered at the moment of the pulse, or at once where there is none.
  func feedback(_ incoming: IncomingRequest) throws -> HTTPResponse? {
    let kind = try Self.kind(incoming.request.body)
    desk.feedback.play(kind) { [unowned self] outcome in
      let reply = FeedbackReply(
        kind: kind.rawValue, silentBecause: outcome.silentBecause, prepareMs: outcome.preparing?.milliseconds,
        fireMs: outcome.firing?.milliseconds, skewMs: outcome.skew?.milliseconds)
      server.respond(incoming.token, Replies.json(200, reply))
    }
    return nil
  }

  private static func kind(_ body: [UInt8]) throws(CallRefusal) -> FeedbackKind {
    let kinds = FeedbackKind.allCases.map(\.rawValue)
    let name = try CheckedFeedback(body: body, kinds: kinds).kind
    guard let kind = FeedbackKind(rawValue: name) else { throw BodyProblem.unknownKind(name, known: kinds).refusal }
    return kind
  }

  /// Does what a handler's update needs done, together with the pulse that the handler wants, 20 ms late at most.
  func withFeedback(_ kind: FeedbackKind?, _ action: @escaping (Instant) -> Void, _ now: Instant) {
    guard let kind else { return action(now) }
    desk.feedback.play(kind, lead: .zero) { [unowned self] _ in
      // At once, or later from the loop: then what it queued is to be done as well.
      let now = SystemClock.monotonic
      action(now)
      perform([], now)
    }
  }

  /// What is wanted when an update is applied is prepared while anything waits, so that the pulse needs no lead.
  func prepareFeedback() {
    guard scheduler.waitingCount > 0 else { return }
    for kind in Set(configuration.handlers.values.compactMap(\.feedbackOnApply)) { desk.feedback.prepare(kind) }
  }

  /// What is felt if the handler fails is prepared while it runs.
  func prepareFeedback(_ kind: FeedbackKind, while timeout: Duration) {
    desk.feedback.prepare(kind, for: min(timeout, .seconds(600)))
  }

  /// The kind for an update that has failed.
  func feedbackOnFail(_ handler: String, _ result: UpdateResult) -> FeedbackKind? {
    result.state == .failed ? configuration.handlers[handler]?.feedbackOnFail : nil
  }

  var haptics: HapticsReply { HapticsReply(device: desk.deviceName, silentBecause: desk.feedback.silentBecause) }
}

extension Feedback.Outcome {
  fileprivate var silentBecause: String? {
    switch ending {
    case .played: nil
    case .silent(let reason): reason
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Double { Double(wholeNanoseconds / 1000) / 1000 }
}
