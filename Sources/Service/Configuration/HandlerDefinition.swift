public import Haptics
public import Scheduling

/// How one kind of update is applied: what a file in `handlers.d` says.
public struct HandlerDefinition: Equatable, Sendable {
  /// The file's name without `.conf`: 1 to 64 characters of `A-Za-z0-9._-`, not beginning with a dot.
  public let name: String
  /// The file it stands in, for messages.
  public let file: String
  /// `Exec=`, `Unit=`: what applies its updates.
  public let kind: HandlerKind
  /// `Param=`, in the order of the file. No parameter has to be given in a request.
  public let parameters: [ParameterDefinition]
  /// `Timeout=`: how long the program may run; more than zero. `Duration.forever` (infinity): as long as it likes.
  public let timeout: Duration
  /// `QuietPeriod=`; nil: the service's.
  public let quietPeriod: Duration?
  /// `Guard=`: what happens between the decision and the start.
  public let guardKind: GuardKind
  /// `AllowUsers=`, `AllowGroups=`: who may submit; nil: whoever may open the socket.
  public let allowed: Principals?
  /// `FeedbackOnApply=`: felt when the program starts. `FeedbackOnFail=`: when an update has failed for good. Nil: nothing.
  public internal(set) var feedbackOnApply: FeedbackKind?
  public internal(set) var feedbackOnFail: FeedbackKind?
  /// `Attempts=`, `Backoff=`, `Coalesce=`, `OnInterrupted=`, `Reboots=`. Its quiet period does not count: `policy(serviceQuietPeriod:)` does.
  private let policy: HandlerPolicy

  public init(
    name: String, file: String, kind: HandlerKind, parameters: [ParameterDefinition],
    timeout: Duration, quietPeriod: Duration? = nil, guardKind: GuardKind = .verify,
    allowed: Principals? = nil,
    policy: HandlerPolicy = HandlerPolicy()
  ) {
    self.allowed = allowed
    self.guardKind = guardKind
    self.quietPeriod = quietPeriod
    self.policy = policy
    self.name = name
    self.file = file
    self.kind = kind
    self.parameters = parameters
    self.timeout = timeout
  }

  public func policy(serviceQuietPeriod: Duration) -> HandlerPolicy {
    var policy = policy
    policy.quietPeriod = quietPeriod ?? serviceQuietPeriod
    return policy
  }

  /// The first problem, by name, with the parameters of a request; nil: they may be used. Each must be declared, match
  /// its pattern and hold no NUL, which ends a string for the program. The message does not repeat the value.
  public func check(parameters given: [String: String]) -> ParameterProblem? {
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard let definition = parameters.first(where: { $0.name == name }) else {
        let declared = parameters.map(\.name).joined(separator: ", ")
        return ParameterProblem(
          parameter: name,
          message: "handler \(self.name) has no parameter \(name.quotedForMessage); it has "
            + (declared.isEmpty ? "none" : declared))
      }
      if value.utf8.contains(0) {
        return ParameterProblem(parameter: name, message: "parameter \(name) must not contain a NUL character")
      }
      if let pattern = definition.pattern, !PosixPattern.matches(value, pattern) {
        return ParameterProblem(parameter: name, message: "parameter \(name) must match \(pattern)")
      }
    }
    return nil
  }
}

/// What applies updates.
public enum HandlerKind: Equatable, Sendable {
  /// `Exec=`: the words of a command; the first is an absolute path. Whether it is there, `Configuration.missingPrograms`
  /// says. Never empty.
  case program([String])
  /// `Unit=`: a service of systemd. The template `name@.service` gets the update's id for an instance.
  case unit(String)
  /// `Deliver=yes`: an application that is connected.
  case delivery

  /// The unit that applies this update; nil: it is no unit.
  func unit(for id: UpdateID) -> String? {
    guard case .unit(let name) = self else { return nil }
    return name.hasSuffix("@.service") ? "\(name.dropLast(".service".count))\(id).service" : name
  }
}

/// `Guard=`.
public enum GuardKind: String, Equatable, Sendable, CaseIterable {
  /// The devices are grabbed (EVIOCGRAB) before the last look, so that no touch reaches anybody until the handler has
  /// ended.
  case grab
  /// The kernel is asked once more.
  case verify
  /// It starts on what is known.
  case none
}

/// One parameter that a request may give a handler: `Param=NAME [PATTERN]`.
public struct ParameterDefinition: Equatable, Sendable {
  /// A letter or `_`, then up to 63 letters, digits and `_` (ASCII).
  public let name: String
  /// POSIX extended regular expression (regex(7)) that the value must match; unanchored unless it anchors itself. Works
  /// on bytes: a `.` is one byte of UTF-8. Nil: any value.
  public let pattern: String?

  public init(name: String, pattern: String?) {
    self.name = name
    self.pattern = pattern
  }
}

/// Why a request's parameters are refused: which one, and the rule.
public struct ParameterProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public let parameter: String
  public let message: String

  public var description: String { message }
}
