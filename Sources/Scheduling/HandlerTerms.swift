/// What the administrator decided about the submissions of a handler. Submitters may tighten it, and loosen only what
/// `Override=` names.
public struct HandlerTerms: Equatable, Sendable {
  /// What can be decided. The raw values are the keys of a handler's file.
  public enum Term: String, CaseIterable, Sendable {
    case key = "Key"
    case screen = "Screen"
    case quietPeriod = "QuietPeriod"
    case deadline = "Deadline"
    case onDeadline = "OnDeadline"
  }

  /// `Key=`: what all its updates are about, whoever submits them; nil: submitters decide.
  public var key: String?
  /// `Screen=`: the screen that counts; nil: submitters decide, all by default.
  public var screen: String?
  /// `QuietPeriod=`: the shortest; nil: submitters decide, the service's by default.
  public var quietPeriod: Duration?
  /// `Deadline=`: the longest, from the submission; nil: submitters decide, none by default.
  public var deadline: Duration?
  /// `OnDeadline=`: the boldest; nil: submitters decide, `expire` by default.
  public var onDeadline: OnDeadline?
  /// `Override=`: what submitters may loosen.
  public var overridable: Set<Term>

  public init(
    key: String? = nil, screen: String? = nil, quietPeriod: Duration? = nil, deadline: Duration? = nil,
    onDeadline: OnDeadline? = nil, overridable: Set<Term> = []
  ) {
    self.key = key
    self.screen = screen
    self.quietPeriod = quietPeriod
    self.deadline = deadline
    self.onDeadline = onDeadline
    self.overridable = overridable
  }

  public func isOverridable(_ term: Term) -> Bool { overridable.contains(term) }
}
