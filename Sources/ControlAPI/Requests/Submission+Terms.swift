public import Scheduling
public import Timeline

extension Submission {
  /// Adds what the handler says where the submission is silent. Throws if the submission loosens it: a submitter may wait
  /// longer and give up earlier, and otherwise change only what `Override=` names.
  ///
  /// - Parameter file: the handler's file, for the message
  public mutating func apply(_ terms: HandlerTerms, file: String, at clocks: Clocks) throws(CallRefusal) {
    func require(_ isTight: Bool, _ term: HandlerTerms.Term, _ value: String, field: String) throws(CallRefusal) {
      if isTight || terms.isOverridable(term) { return }
      throw BodyProblem.loosens(term, value: value, file: file, field: field).refusal
    }
    if let fixed = terms.key {
      try require(key == nil || key == fixed, .key, fixed, field: "key")
      key = key ?? fixed
    }
    if let fixed = terms.screen {
      try require(screen == nil || screen == fixed, .screen, fixed, field: "screen")
      screen = screen ?? fixed
    }
    if let least = terms.quietPeriod, let own = quietPeriod {
      try require(own >= least, .quietPeriod, TimeSpan.describe(least), field: "quietPeriod")
    }
    if let boldest = terms.onDeadline, let own = onDeadline {
      try require(own <= boldest, .onDeadline, boldest.rawValue, field: "onDeadline")
    }
    if let longest = terms.deadline {
      let last = Moment.steady(clocks.steady + longest)
      if let own = deadline, !terms.isOverridable(.deadline) {
        guard let left = clocks.remaining(until: own) else { throw StateProblem.clockUnset(field: "deadline").refusal }
        try require(left <= longest, .deadline, TimeSpan.describe(longest), field: "deadline")
      }
      deadline = deadline ?? last
      try checkOrder(clocks)
    }
    onDeadline = onDeadline ?? terms.onDeadline
  }

  /// The key of an update that has none of its own; `policy.key` is the handler's, which everybody shares.
  public func key(_ policy: HandlerPolicy) -> String? { key ?? policy.key }
}
