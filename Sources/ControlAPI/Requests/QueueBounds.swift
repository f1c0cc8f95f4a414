import TouchgateAPI

/// How much may wait: `MaxWaiting=`, `MaxWaitingBytes=` and the same for each user but root.
public struct QueueBounds: Equatable, Sendable {
  /// A number of updates and their payloads and parameters in bytes.
  public struct Load: Equatable, Sendable {
    public var updates: Int
    public var bytes: Int

    public init(updates: Int, bytes: Int) {
      self.updates = updates
      self.bytes = bytes
    }
  }

  /// The queue as one submitter sees it.
  public struct Waiting: Equatable, Sendable {
    public var all: Load
    /// The submitter's part of it.
    public var ofUser: Load

    public init(all: Load, ofUser: Load) {
      self.all = all
      self.ofUser = ofUser
    }

    /// Without an update of `bytes` that a new one supersedes.
    public func superseding(bytes: Int, ofSameUser: Bool) -> Waiting {
      var result = self
      result.all.updates -= 1
      result.all.bytes -= bytes
      if ofSameUser {
        result.ofUser.updates -= 1
        result.ofUser.bytes -= bytes
      }
      return result
    }
  }

  public enum Unit: String, CaseIterable, Sendable {
    case updates
    case bytes
  }

  public var all: Load
  public var perUser: Load

  public init(all: Load, perUser: Load) {
    self.all = all
    self.perUser = perUser
  }

  /// Refuses an update of `bytes` that would exceed a bound; what waits is `waiting`.
  public func check(_ waiting: Waiting, adding bytes: Int, uid: UInt32) throws(CallRefusal) {
    func check(_ waiting: Int, _ unit: Unit, _ more: Int, _ setting: String, _ limit: Int, of uid: UInt32?)
      throws(CallRefusal)
    {
      if waiting + more > limit {
        throw StateProblem.queueFull(waiting: waiting, unit, uid: uid, setting: setting, limit: limit).refusal
      }
    }
    try check(waiting.all.updates, .updates, 1, "MaxWaiting=", all.updates, of: nil)
    try check(waiting.all.bytes, .bytes, bytes, "MaxWaitingBytes=", all.bytes, of: nil)
    if uid == 0 { return }
    try check(waiting.ofUser.updates, .updates, 1, "MaxWaitingPerUser=", perUser.updates, of: uid)
    try check(waiting.ofUser.bytes, .bytes, bytes, "MaxWaitingBytesPerUser=", perUser.bytes, of: uid)
  }

  /// Whether `more` further updates, of the largest size, could exceed a bound: updates that are still being stored do
  /// not count as waiting yet.
  public func couldBeExceeded(_ waiting: Waiting, by more: Int) -> Bool {
    let bytes = more * (Limits.payload + Limits.parameters)
    return waiting.all.updates + more > all.updates || waiting.ofUser.updates + more > perUser.updates
      || waiting.all.bytes + bytes > all.bytes || waiting.ofUser.bytes + bytes > perUser.bytes
  }
}
