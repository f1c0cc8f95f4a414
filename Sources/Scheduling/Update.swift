public import Timeline

/// What was asked for: the part of an update that never changes after it was accepted. The payload is not here: it
/// may be a mebibyte and lives in the store only.
public struct Update: Equatable, Sendable {
  public let id: UpdateID
  public let handler: String
  public let parameters: [String: String]
  public let createdAt: WallTime
  /// Who submitted it, from the kernel (SO_PEERCRED).
  public let submitter: Submitter
  /// Number of arrival; unique, given by the service, grows.
  public let sequence: Int64
  /// Place in the order: the number of arrival, or that of the update whose place it took (`key`).
  public var place: Int64
  /// Updates of one handler with the same key are about the same thing; nil: this one is about nothing else.
  public let key: String?
  /// Higher is applied first; 0 where nobody asked.
  public let priority: Int
  /// How long nobody may have touched; nil: as the handler, or the service, says.
  public let quietPeriod: Duration?
  /// Not to be applied earlier.
  public let notBefore: WallTime?
  /// Nil: for all screens. Else it waits for this one only.
  public let screen: String?
  public var deadline: WallTime?
  public let onDeadline: OnDeadline
  /// Payload and parameters, in bytes; what counts against bounds.
  public let size: Int
  /// A digest of all that was asked, by which the same request is known again; nil: stored by a version without it.
  public let content: String?

  public init(
    id: UpdateID, handler: String, parameters: [String: String], createdAt: WallTime, submitter: Submitter,
    sequence: Int64, place: Int64? = nil, key: String? = nil, priority: Int = 0, quietPeriod: Duration? = nil,
    notBefore: WallTime? = nil, deadline: WallTime? = nil, onDeadline: OnDeadline = .expire, screen: String? = nil,
    size: Int = 0, content: String? = nil
  ) {
    self.id = id
    self.handler = handler
    self.parameters = parameters
    self.createdAt = createdAt
    self.submitter = submitter
    self.sequence = sequence
    self.place = place ?? sequence
    self.key = key
    self.priority = priority
    self.quietPeriod = quietPeriod
    self.notBefore = notBefore
    self.deadline = deadline
    self.onDeadline = onDeadline
    self.screen = screen
    self.size = size
    self.content = content
  }
}

/// What becomes of an update that still waits at its deadline.
public enum OnDeadline: String, Equatable, Sendable, CaseIterable {
  case expire
  /// It no longer waits for its quiet period or after a failure, but still for the screen.
  case apply
  /// It waits for nothing any more but the update that is being applied.
  case force
}

/// What an update no longer waits for, because somebody said so.
public enum Urgency: Int, Comparable, Sendable, CaseIterable {
  case none
  /// Neither quiet period, nor `notBefore`, nor pauses after failures, nor a stop of reboots.
  case apply
  /// Nothing but the update that is being applied.
  case force

  public static func < (a: Urgency, b: Urgency) -> Bool { a.rawValue < b.rawValue }
}

public struct Submitter: Equatable, Sendable {
  public let uid: UInt32
  public let pid: Int32

  public init(uid: UInt32, pid: Int32) {
    self.uid = uid
    self.pid = pid
  }
}
