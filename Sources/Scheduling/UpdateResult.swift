public import Timeline

/// How an update ended. Names are the states of the socket and of the store.
public enum FinalState: String, Equatable, Sendable, CaseIterable {
  case applied
  case failed
  /// Another of the same key took its place.
  case superseded
  case cancelled
  /// Its deadline came while it waited.
  case expired
}

/// What is known once an update has ended.
public struct UpdateResult: Equatable, Sendable {
  public let state: FinalState
  /// The handler's exit status; nil where it did not exit by itself.
  public let exitCode: Int?
  /// In words, for people; with the tail of the handler's output where it failed.
  public let message: String
  public let finishedAt: WallTime
  /// From the end of the last contact to the handler's start, in milliseconds; nil where no touch was waited for.
  public let releaseToStartMilliseconds: Int64?
  /// The one that took its place, where it was superseded.
  public let successor: UpdateID?
  /// How long each blocker was in its way.
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
