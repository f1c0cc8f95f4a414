public import Haptics
public import Scheduling

/// How one kind of update is applied: what a file in `handlers.d` says.
public struct HandlerDefinition: Equatable, Sendable {
  /// The file's name without `.conf`: 1 to 64 characters of `A-Za-z0-9._-`, the first no dot.
  public let name: String
  /// The path of the file, for messages.
  public let file: String
  /// `Exec=`, `Unit=` or `Deliver=`: what applies its updates.
  public internal(set) var kind: HandlerKind
  /// `Param=`, in the order of the file. A request may omit any of them.
  public internal(set) var parameters: [ParameterDefinition]
  /// `Timeout=`: how long the program may run; at least 1 ms. `Duration.forever` (infinity): no limit.
  public internal(set) var timeout: Duration
  /// `Key=`, `Screen=`, `QuietPeriod=`, `Deadline=`, `OnDeadline=`, `Override=`: what submitters may not loosen.
  public internal(set) var terms: HandlerTerms
  /// `Guard=`: what happens between the decision and the start.
  public internal(set) var guardKind: GuardKind
  /// `AllowUsers=`, `AllowGroups=`: who may submit; nil: everybody who can open the socket.
  public internal(set) var allowed: Principals?
  /// `FeedbackOnApply=`: felt when the program starts; nil: nothing.
  public internal(set) var feedbackOnApply: FeedbackKind?
  /// `FeedbackOnFail=`: felt when an update has failed for good; nil: nothing.
  public internal(set) var feedbackOnFail: FeedbackKind?
  /// `Attempts=`, `Backoff=`, `Coalesce=`, `SharedKeys=`, `OnInterrupted=`, `Reboots=`, `SatisfiedByReboot=`. Its quiet period is unused:
  /// `policy(serviceQuietPeriod:)` sets it.
  var policy: HandlerPolicy

  /// Every argument but the first three has the default of its key.
  public init(
    name: String, file: String, kind: HandlerKind, parameters: [ParameterDefinition] = [],
    timeout: Duration = .seconds(300), terms: HandlerTerms = HandlerTerms(), guardKind: GuardKind = .verify,
    allowed: Principals? = nil, policy: HandlerPolicy = HandlerPolicy()
  ) {
    self.allowed = allowed
    self.guardKind = guardKind
    self.terms = terms
    self.policy = policy
    self.name = name
    self.file = file
    self.kind = kind
    self.parameters = parameters
    self.timeout = timeout
  }

  /// The scheduler's policy; with the service's quiet period, unless the handler sets one.
  public func policy(serviceQuietPeriod: Duration) -> HandlerPolicy {
    var policy = policy
    policy.quietPeriod = terms.quietPeriod ?? serviceQuietPeriod
    return policy
  }

  /// The first problem, by name, with the parameters of a request; nil: they can be used. Each must be declared, match
  /// its pattern and contain no NUL, which would end the string for the program.
  public func check(parameters given: [String: String]) -> ParameterProblem? {
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard let definition = parameters.first(where: { $0.name == name }) else {
        let declared = parameters.isEmpty ? "none" : parameters.map(\.name).joined(separator: ", ")
        return ParameterProblem(name, .unknownParameter, self.name, name.quotedForMessage, declared)
      }
      if value.utf8.contains(0) { return ParameterProblem(name, .parameterWithNUL, name) }
      if let pattern = definition.pattern, !PosixPattern.matches(value, pattern) {
        return ParameterProblem(name, .parameterMismatch, name, pattern)
      }
    }
    return nil
  }

  /// Why an accepted update is not permitted any more; nil: it is. The configuration may have become narrower since then.
  ///
  /// - Parameter admin: who may use every handler.
  public func refusal(of update: Update, admin: Principals) -> String? {
    if let problem = check(parameters: update.parameters) { return problem.message }
    let submitter = update.submitter
    guard let allowed, !allowed.contains(submitter, ifGroupsAreUnknown: true),
      !admin.contains(submitter, ifGroupsAreUnknown: false)
    else { return nil }
    return Sentence.notAllowedAnyMore.text(["\(submitter.uid)", name])
  }

  /// Adds a parameter. The program gets it as TOUCHGATE_PARAM_NAME in capitals, so names differ in more than case.
  mutating func declare(_ parameter: ParameterDefinition) throws(Refused) {
    let name = parameter.name
    if parameters.contains(where: { $0.name.uppercased() == name.uppercased() }) {
      throw Refused(.duplicateParameter, name)
    }
    parameters.append(parameter)
  }

  /// Adds users and groups that may submit.
  mutating func allow(_ principals: Principals) {
    var all = allowed ?? Principals()
    all.formUnion(principals)
    allowed = all
  }

  /// 1 to 64 of `A-Za-z0-9._-`.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { $0.isLetterOrDigit || $0 == "." || $0 == "_" || $0 == "-" }
  }
}
