public import Timeline

/// How an update ended. The raw values are the states on the socket and in the store.
public enum FinalState: String, Equatable, Sendable, CaseIterable {
  case applied
  case failed
  /// Another with the same key replaced it.
  case superseded
  case cancelled
  /// Its deadline came while it waited.
  case expired
}

/// What is known once an update has ended.
public struct UpdateResult: Equatable, Sendable {
  /// How it ended.
  public let state: FinalState
  /// The handler's exit status; nil if it did not exit by itself.
  public let exitCode: Int?
  /// For people; includes the tail of the handler's output if it failed.
  public let message: String
  /// When it ended.
  public let finishedAt: WallTime
  /// From the end of the last contact to the handler's start, in milliseconds; nil if it did not wait for a touch.
  public let releaseToStartMilliseconds: Int64?
  /// The update that replaced it, if it was superseded.
  public let successor: UpdateID?
  /// For how long each blocker blocked it.
  public var blocked: BlockedTimes

  public init(
    state: FinalState, exitCode: Int?, message: String, finishedAt: WallTime, releaseToStartMilliseconds: Int64?,
    successor: UpdateID? = nil, blocked: BlockedTimes = BlockedTimes()
  ) {
    self.blocked = blocked
    self.successor = successor
    self.state = state
    self.exitCode = exitCode
    self.message = message
    self.finishedAt = finishedAt
    self.releaseToStartMilliseconds = releaseToStartMilliseconds
  }
}
