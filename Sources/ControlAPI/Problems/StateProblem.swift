public import Scheduling
public import TouchgateAPI

/// A correct call that the present state does not allow.
public enum StateProblem: ProblemText {
  // One update or hold
  case unknownUpdate(String)
  case unknownHold(String)
  case unknownTurn(String)
  case turnEnded(reason: String)
  case idInUse(String)
  /// The id of another update.
  case idOfUpdate(String)
  /// A client's id that several users have used.
  case ambiguousID(String, [CandidateReply])
  /// The id of a hold or of a turn.
  case idOfHoldOrTurn(String)
  /// `state`: of the update.
  case notWaiting(state: String)
  case notEnded(state: String, id: String)
  case alreadyApplied
  case superseded(by: String, key: String)
  case payloadGone
  /// `reason`: the configuration's.
  case notPermittedAnyMore(reason: String)
  case notDelivered(id: String)
  // The service
  case notPaused
  case clockUnset(field: String)
  case changing
  case notAccepted(StoreFailure)
  case notCancelled(StoreFailure)
  case notChanged(StoreFailure)
  /// `uid`: nil if the limit is for all users together.
  case tooManyHolds(limit: Int, uid: UInt32?)
  // Screens
  case screenPresent(String)
  case screenNamed(String)
  case noMissingScreen(String, missing: Set<String>)
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
    case .unknownTurn(let id): CallRefusal(404, "noSuchID", "unknown turn '\(id.shortened)'")
    case .turnEnded(let reason): CallRefusal(409, "turnEnded", "the turn did not begin: \(reason)")
    case .idInUse(let id):
      CallRefusal(409, "idInUse", "id '\(id)' is already used by an update with different content", field: "clientId")
    case .idOfUpdate(let id):
      CallRefusal(409, "idInUse", "id '\(id)' is already the id of another update", field: "clientId")
    case .ambiguousID(let id, let candidates):
      CallRefusal(
        409, "ambiguousID",
        "\(candidates.count) updates of different users have the id '\(id.shortened)': "
          + candidates.map { "\($0.id) of user \($0.uid)" }.joined(separator: ", ")
          + "; use one of these, or ?user=UID",
        candidates: candidates)
    case .idOfHoldOrTurn(let id):
      CallRefusal(409, "idInUse", "id '\(id)' is already used by a hold or a turn", field: "clientId")
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
    case .notPermittedAnyMore(let reason):
      CallRefusal(409, "notPermitted", "the configuration does not permit this update any more: \(reason)")
    case .notDelivered(let id):
      CallRefusal(409, "notOffered", "update '\(id.shortened)' is not delivered to an application at present")
    case .notPaused: CallRefusal(409, "notPaused", "touchgated is not paused")
    case .clockUnset(let field):
      CallRefusal(
        409, "clockUnset",
        "it is not known yet whether the clock is right, so not whether '\(field)' is within Deadline= of the handler; give a "
          + "time span such as 8h, or try again later", field: field)
    case .changing: CallRefusal(409, "justChanged", "another request is changing this at the same time; try again")
    case .notAccepted(let reason):
      CallRefusal(503, Self.code(reason), "the update could not be stored and was not accepted: \(reason)")
    case .notCancelled(let reason):
      CallRefusal(503, Self.code(reason), "the end of the update could not be stored; it was not cancelled: \(reason)")
    case .notChanged(let reason):
      CallRefusal(503, Self.code(reason), "the change could not be stored and was not made: \(reason)")
    case .tooManyHolds(let limit, let uid):
      CallRefusal(
        429, "tooManyHolds",
        "\(limit) holds\(uid.map { " of user \($0)" } ?? "") are active, which is the maximum; see GET /v1/holds",
        headers: CallRefusal.retryLater)
    case .screenPresent(let name):
      CallRefusal(
        409, "screenPresent",
        "screen '\(name.shortened)' is connected; only a missing one can be forgotten (Ignore= excludes a device)",
        field: "name")
    case .screenNamed(let name):
      CallRefusal(
        409, "screenNamed",
        "screen '\(name.shortened)' is named by touchgate.conf; remove it from [Screen] or RequireScreens=",
        field: "name")
    case .noMissingScreen(let name, let missing):
      CallRefusal(
        404, "noSuchID",
        "no missing screen '\(name.shortened)'"
          + (missing.isEmpty
            ? "; no screen is missing" : "; missing screens: \(missing.sorted().joined(separator: ", "))"),
        field: "name")
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
