public import Timeline

/// Why an update is not applied yet: a code, never prose alone, with since when, who, and what clears it.
public struct Blocker: Equatable, Sendable {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// What is on the glass is not known.
    case unknown
    case touched
    /// A contact has not changed for longer than any finger, and the administrator wants it to block all the same.
    case stuck
    /// No contact, but not for as long as the quiet period asks.
    case settling
    /// Somebody holds the screen.
    case hold
    /// The operator has stopped everything.
    case paused
    /// Its `notBefore` has not come.
    case notBefore
    /// Its handler has failed, or asked to be tried later; the pause after that is not over.
    case backoff
    /// It would reboot the machine, which has rebooted for the same too often.
    case rebootLoop
    /// No application is connected that applies such updates.
    case noReceiver
    /// Behind another update.
    case order
    /// Another update is being applied.
    case applying
    /// The queue cannot be written: disk full or worse.
    case storeFull
    /// The service is being stopped.
    case stopping
  }

  public let code: Code
  public let since: Instant
  public var screen: String?
  public var device: String?
  public var contacts: Int?
  /// Who is in the way: the id of an update, or who holds.
  public var owner: String?
  public var reason: String?
  public let clears: String

  public init(
    code: Code, since: Instant, screen: String? = nil, device: String? = nil, contacts: Int? = nil,
    owner: String? = nil, reason: String? = nil, clears: String
  ) {
    self.code = code
    self.since = since
    self.screen = screen
    self.device = device
    self.contacts = contacts
    self.owner = owner
    self.reason = reason
    self.clears = clears
  }
}

/// What the scheduler is told of one screen (or of the machine as a whole). It does not know that touch exists.
public enum Passage: Equatable, Sendable {
  /// Nothing in the way since then; the scheduler compares that with the quiet period.
  case clear(since: Instant)
  case shut(Blocker)
  /// Not there: shut for its own updates, and no matter to those for all screens.
  case absent(Blocker)
}
