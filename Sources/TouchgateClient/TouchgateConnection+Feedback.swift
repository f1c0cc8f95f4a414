import Timeline
public import TouchgateAPI

extension TouchgateConnection {
  /// How long a call of `feedback` waits at most: the lead of 100 ms, and 20 ms.
  public static let feedbackLimit: Duration = .milliseconds(120)

  /// Plays one of the seven kinds (`success`, `warning`, `error`, `light`, `medium`, `heavy`, `selection`) and runs
  /// `action` once, when the service answers: at the moment of the pulse, or at once on a machine without haptics. Where
  /// the service is not running, refuses or says nothing for 120 ms, the action runs without a pulse. Returns what it
  /// returns.
  public func feedback<Result, Failure: Error>(
    _ kind: String, _ action: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let hurried = TouchgateConnection(path: path, timeout: Self.feedbackLimit)
    _ = try? hurried.play(kind)
    return try action()
  }

  /// Plays one of the seven kinds; answers at the moment of the pulse. Throws `refused` with status 400 where there is
  /// no such kind.
  public func play(_ kind: String) throws(ClientError) -> FeedbackReply {
    try call("POST", "/v1/feedback", encoded(FeedbackRequest(kind: kind)))
  }
}
