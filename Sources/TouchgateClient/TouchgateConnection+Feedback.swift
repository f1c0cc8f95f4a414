import Timeline
public import TouchgateAPI

extension TouchgateConnection {
  /// The longest that `feedback` waits before it runs the action: a lead of 100 ms, and 20 ms.
  public static let feedbackLimit: Duration = .milliseconds(120)

  /// Plays a kind (`success`, `warning`, `error`, `light`, `medium`, `heavy` or `selection`) and runs `action` exactly
  /// once: at the moment of the pulse, or at once on a machine without haptics. If the service is not running, refuses,
  /// or does not answer within 120 ms, the action runs without a pulse.
  ///
  /// - Returns: the result of `action`.
  /// - Throws: what `action` throws.
  public func feedback<Result, Failure: Error>(
    _ kind: String, _ action: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let limited = TouchgateConnection(path: path, timeout: Self.feedbackLimit)
    _ = try? limited.play(kind)
    return try action()
  }

  /// Plays a kind and returns at the moment of the pulse. Throws `refused` with status 400 if the kind is unknown.
  public func play(_ kind: String) throws(ClientError) -> FeedbackReply {
    try call("POST", "/v1/feedback", encoded(FeedbackRequest(kind: kind)))
  }
}
