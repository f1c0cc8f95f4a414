public import Timeline

/// The part of an update that never changes after it was accepted. Its payload, up to 1 MiB, is in the store only.
public struct Update: Equatable, Sendable {
  /// Made by the service, a ULID; unique.
  public let id: UpdateID
  /// Chosen by the client, unique among the updates of its user; nil: the client chose none.
  public let clientID: ClientID?
  /// Name of the handler that applies it.
  public let handler: String
  /// Values by name; at most 16 KiB in total.
  public let parameters: [String: String]
  /// When it was submitted.
  public let createdAt: WallTime
  /// Who submitted it, from the kernel (SO_PEERCRED).
  public let submitter: Submitter
  /// Number in the order of arrival: unique and increasing, assigned by the service.
  public let sequence: Int64
  /// Place in the order: `sequence`, or that of the update that it replaced (`key`).
  public var place: Int64
  /// Updates of one handler and one user with the same key are about the same thing, or of all users
  /// (`HandlerPolicy.sharesKeys`); nil: this one is about nothing else.
  public let key: String?
  /// -100 to 100, default 0; higher is applied first.
  public let priority: Int
  /// How long no screen may have been touched, 0 to 1 h; nil: the setting of the handler or of the service.
  public let quietPeriod: Duration?
  /// When its spans began: what the steady clock said at the submission.
  public let spansBegan: SteadyTime
  /// Earliest time at which it is applied; nil: immediately.
  public var notBefore: Moment?
  /// The only screen that it waits for; nil: all screens.
  public let screen: String?
  /// When `onDeadline` takes effect if the update is still waiting; nil: never.
  public var deadline: Moment?
  /// What happens at the deadline.
  public let onDeadline: OnDeadline
  /// Payload and parameters, in bytes; counts against the limits.
  public let size: Int
  /// A digest of the request, by which a repeated request is recognized; nil: stored by a version without it.
  public let content: String?

  public init(
    id: UpdateID, handler: String, parameters: [String: String], createdAt: WallTime, submitter: Submitter,
    sequence: Int64, place: Int64? = nil, key: String? = nil, priority: Int = 0, quietPeriod: Duration? = nil,
    notBefore: Moment? = nil, deadline: Moment? = nil, onDeadline: OnDeadline = .expire, screen: String? = nil,
    size: Int = 0, content: String? = nil, clientID: ClientID? = nil,
    spansBegan: SteadyTime = SteadyTime(milliseconds: 0)
  ) {
    self.spansBegan = spansBegan
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
    self.clientID = clientID
  }

  /// A time of day without a day, such as 04:00, becomes one once the time of day is known to be right.
  public var isUnresolved: Bool {
    [notBefore, deadline].contains { if case .daily = $0 { true } else { false } }
  }

  /// With the next such times after `wall`; the deadline is the next one after `notBefore`.
  public func resolved(after wall: WallTime, in zone: some LocalZone) -> Update {
    var update = self
    update.notBefore = notBefore?.resolved(after: wall, in: zone)
    var earliest = wall
    if case .wall(let time) = update.notBefore { earliest = max(earliest, time) }
    update.deadline = deadline?.resolved(after: earliest, in: zone)
    return update
  }

  /// With spans that end sooner, because the machine was off for so long while they were counted.
  func shortened(by timeOff: SteadyClock.TimeOff) -> Update {
    if spansBegan > timeOff.before { return self }
    var update = self
    update.notBefore = notBefore?.sooner(by: timeOff.length)
    update.deadline = deadline?.sooner(by: timeOff.length)
    return update
  }
}

/// What happens to an update that still waits at its deadline.
public enum OnDeadline: String, Equatable, Sendable, CaseIterable, Comparable {
  case expire
  /// It no longer waits for its quiet period or after a failure, but still for the screen.
  case apply
  /// It waits only for the update that is being applied.
  case force

  /// What waits for less is greater.
  public static func < (one: OnDeadline, other: OnDeadline) -> Bool { one.boldness < other.boldness }

  private var boldness: Int {
    switch self {
    case .expire: 0
    case .apply: 1
    case .force: 2
    }
  }
}

/// What an expedited update no longer waits for.
public enum Expedited: Int, Comparable, Sendable, CaseIterable {
  case none
  /// Neither quiet period, nor `notBefore`, nor backoff, nor a stop of reboots.
  case apply
  /// Anything but the update that is being applied.
  case force

  public static func < (a: Expedited, b: Expedited) -> Bool { a.rawValue < b.rawValue }
}

/// The process behind a request, as the kernel reports it (SO_PEERCRED).
public struct Submitter: Equatable, Sendable {
  /// Its effective user.
  public let uid: UInt32
  /// Its process id, which may be reused after it has exited.
  public let pid: Int32
  /// Its groups, the primary one first; nil: not known, as of an update that an older version stored.
  public let groups: [UInt32]?

  public init(uid: UInt32, pid: Int32, groups: [UInt32]? = nil) {
    self.uid = uid
    self.pid = pid
    self.groups = groups
  }
}
