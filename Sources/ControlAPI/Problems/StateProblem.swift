public import Scheduling
public import TouchgateAPI

/// A correct call that the present state does not allow.
public enum StateProblem: ProblemText {
  // One update or hold
  case unknownUpdate(String)
  case unknownHold(String)
  case idInUse(String)
  /// `state`: of the update.
  case notWaiting(state: String)
  case notEnded(state: String, id: String)
  case alreadyApplied
  case superseded(by: String, key: String)
  case payloadGone
  case notDelivered(id: String)
  // The service
  case notPaused
  case changing
  case notAccepted(StoreFailure)
  case notCancelled(StoreFailure)
  case notChanged(StoreFailure)
  case tooManyHolds(limit: Int)
  /// `uid`: nil if the bound is for all users together.
  case queueFull(waiting: Int, QueueBounds.Unit, uid: UInt32?, setting: String, limit: Int)
  // Time-outs
  case notQuiet([BlockerReply])
  case notEndedInTime([BlockerReply])
  case wouldWait([BlockerReply])

  public var refusal: CallRefusal {
    switch self {
    case .unknownUpdate(let id): CallRefusal(404, "noSuchID", "unknown update '\(id.shortened)'")
    case .unknownHold(let id): CallRefusal(404, "noSuchID", "unknown hold '\(id.shortened)'")
    case .idInUse(let id):
      CallRefusal(409, "idInUse", "id '\(id)' is already used by an update with different content", field: "id")
    case .notWaiting(let state):
      CallRefusal(409, "notWaiting", "the update is \(state); only a waiting update can be changed")
    case .notEnded(let state, let id):
      CallRefusal(
        409, "notEnded",
        "the update is \(state); only an update that has ended can be retried (to skip a backoff: touchgate apply "
          + "\(id.shortened))")
    case .alreadyApplied: CallRefusal(409, "applied", "the update is already applied; submit a new one")
    case .superseded(let id, let key):
      CallRefusal(409, "superseded", "update '\(id)' with the same key '\(key)' is newer or already waiting")
    case .payloadGone:
      CallRefusal(409, "payloadGone", "the payload is no longer kept (KeepPayloads=); submit the update again")
    case .notDelivered(let id):
      CallRefusal(409, "notOffered", "update '\(id.shortened)' is not delivered to an application at present")
    case .notPaused: CallRefusal(409, "notPaused", "touchgated is not paused")
    case .changing: CallRefusal(409, "justChanged", "another request is changing this at the same time; try again")
    case .notAccepted(let reason):
      CallRefusal(503, Self.code(reason), "the update could not be stored and was not accepted: \(reason)")
    case .notCancelled(let reason):
      CallRefusal(503, Self.code(reason), "the end of the update could not be stored; it was not cancelled: \(reason)")
    case .notChanged(let reason):
      CallRefusal(503, Self.code(reason), "the change could not be stored and was not made: \(reason)")
    case .tooManyHolds(let limit):
      CallRefusal(
        429, "tooManyHolds", "\(limit) holds are active, which is the maximum; see GET /v1/holds",
        headers: CallRefusal.retryLater)
    case .queueFull(let waiting, let unit, let uid, let setting, let limit):
      CallRefusal(
        429, "queueFull",
        "\(waiting) \(unit.rawValue)\(uid.map { " of user \($0)" } ?? "") are already waiting; \(setting) allows \(limit)",
        headers: CallRefusal.retryLater)
    case .notQuiet(let blockers):
      CallRefusal(
        408, "notQuiet", "timed out before it was quiet for long enough\(words(blockers))", blockers: blockers)
    case .notEndedInTime(let blockers):
      CallRefusal(408, "notEnded", "timed out before the update ended\(words(blockers))", blockers: blockers)
    case .wouldWait(let blockers):
      CallRefusal(423, "shut", "the update would have to wait\(words(blockers))", blockers: blockers)
    }
  }

  private static func code(_ failure: StoreFailure) -> String {
    switch failure {
    case .full: "storeFull"
    case .failed: "storeFailed"
    }
  }

  private func words(_ blockers: [BlockerReply]) -> String {
    blockers.first.map { "; blocked by \($0.code), clears \($0.clears)" } ?? ""
  }
}
