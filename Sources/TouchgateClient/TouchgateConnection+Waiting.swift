public import TouchgateAPI

/// Calls whose answer takes its time: use a connection without a time-out, or with a longer one than the call's.
extension TouchgateConnection {
  /// The update once it has ended. `timeout`: a span such as `30s`; then `refused` with 408. Nil: as long as it takes.
  public func wait(for id: String, timeout: String? = nil) throws(ClientError) -> UpdateReply {
    try call("GET", "/v1/updates/\(percentEncoded(id))/wait" + query([("timeout", timeout)]))
  }

  /// Returns when an update with this quiet period would be started. `timeout`: then `refused` with 408.
  public func waitForQuiet(
    _ span: String? = nil, screen: String? = nil, timeout: String? = nil
  ) throws(ClientError) {
    let _: QuietReply = try call(
      "GET", "/v1/quiet" + query([("for", span), ("screen", screen), ("timeout", timeout)]))
  }

  /// Everything that waits, and what ended unapplied in the last 24 hours.
  public func why() throws(ClientError) -> WhyReply { try call("GET", "/v1/why") }

  public func screens() throws(ClientError) -> ScreenListReply { try call("GET", "/v1/screens") }

  public func holds() throws(ClientError) -> HoldListReply { try call("GET", "/v1/holds") }

  /// A hold with an end of its own (`ttl`); for one that ends with its connection: `stream`.
  public func hold(_ request: HoldRequest) throws(ClientError) -> HoldReply {
    try call("POST", "/v1/holds", try encoded(request))
  }

  public func release(hold id: String) throws(ClientError) {
    let _: HoldOrAbout = try call("DELETE", "/v1/holds/\(percentEncoded(id))")
  }

  /// It is the caller's turn from the first line until the stream is closed.
  public func turn(_ request: TurnRequest, timeout: String? = nil) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "POST", "/v1/turns" + query([("timeout", timeout)]), try encoded(request))
  }

  /// Holds until the stream is closed; its first line is the hold.
  public func boundHold(_ request: HoldRequest) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "POST", "/v1/holds", try encoded(request))
  }

  /// Updates of this handler to apply, a `DeliveryReply` a line; answered by `acknowledge` and `refuse`.
  public func deliveries(of handler: String) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "GET", "/v1/deliveries" + query([("handler", handler)]))
  }

  /// It has been applied.
  public func acknowledge(_ id: String) throws(ClientError) -> UpdateReply {
    try call("POST", "/v1/deliveries/\(percentEncoded(id))/ack")
  }

  /// It has not; `later`: that is no failure.
  public func refuse(delivery id: String, reason: String, later: Bool = false) throws(ClientError) -> UpdateReply {
    try call(
      "POST", "/v1/deliveries/\(percentEncoded(id))/nack", try encoded(RefusalRequest(reason: reason, later: later)))
  }

  /// An event a line. `since`: the number of the last one that is known.
  public func events(since: Int64? = nil) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "GET", "/v1/events" + query([("since", since.map { "\($0)" })]))
  }
}

/// What a release answers does not matter.
private struct HoldOrAbout: Decodable {}
