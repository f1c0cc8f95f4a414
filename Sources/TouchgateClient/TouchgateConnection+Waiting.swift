public import TouchgateAPI

/// Calls that are answered late. Use a connection without a time-out, or with a longer one than that of the call.
extension TouchgateConnection {
  /// Returns the update when it has ended. Throws `refused` with status 408 after `timeout`, a time span such as `30s`
  /// (at most one day); nil waits without limit.
  public func wait(for id: String, user: UInt32? = nil, timeout: String? = nil) throws(ClientError) -> UpdateReply {
    try call("GET", target(id, user, "/wait", [("timeout", timeout)]))
  }

  /// Returns when an update with this quiet period, a time span such as `30s`, would be applied; nil means the
  /// configured one. Throws `refused` with status 408 after `timeout`.
  public func waitForQuiet(
    _ span: String? = nil, screen: String? = nil, timeout: String? = nil
  ) throws(ClientError) {
    let _: QuietReply = try call(
      "GET", "/v1/quiet" + query([("for", span), ("screen", screen), ("timeout", timeout)]))
  }

  /// All waiting updates, and those of the last 24 hours that were not applied.
  public func why() throws(ClientError) -> WhyReply { try call("GET", "/v1/why") }

  /// All screens with their devices; with `all`, also all event nodes of the machine.
  public func screens(all: Bool = false) throws(ClientError) -> ScreenListReply {
    try call("GET", "/v1/screens" + query([("all", all ? "1" : nil)]))
  }

  /// Stops waiting for a missing screen; returns the screens that remain.
  public func forget(screen: String) throws(ClientError) -> ScreenListReply {
    try call("DELETE", "/v1/screens" + query([("name", screen)]))
  }

  /// All holds.
  public func holds() throws(ClientError) -> HoldListReply { try call("GET", "/v1/holds") }

  /// Creates a hold that ends after its `ttl`. For one that ends with its connection, see `boundHold`.
  public func hold(_ request: HoldRequest) throws(ClientError) -> HoldReply {
    try call("POST", "/v1/holds", try encoded(request))
  }

  /// Ends a hold or a turn. Throws `refused` with status 404 if there is none with this ID.
  public func release(hold id: String) throws(ClientError) {
    let _: HoldOrAbout = try call("DELETE", "/v1/holds/\(percentEncoded(id))")
  }

  /// The turns that wait and the one that lasts.
  public func turns() throws(ClientError) -> [TurnStateReply] {
    let reply: TurnListReply = try call("GET", "/v1/turns")
    return reply.turns
  }

  /// Waits for the caller's turn. It lasts from the first line, a `TurnReply`, until the stream is released. Throws
  /// `refused` with status 408 after `timeout`.
  public func turn(_ request: TurnRequest, timeout: String? = nil) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "POST", "/v1/turns" + query([("timeout", timeout)]), try encoded(request))
  }

  /// Creates a hold that lasts until the stream is released. The first line is the hold, a `HoldReply`.
  public func boundHold(_ request: HoldRequest) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "POST", "/v1/holds", try encoded(request))
  }

  /// The updates of this handler for the caller to apply, one `DeliveryReply` per line. Answer each with `acknowledge`
  /// or `refuse`.
  public func deliveries(of handler: String) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "GET", "/v1/deliveries" + query([("handler", handler)]))
  }

  /// Reports that a delivered update was applied.
  public func acknowledge(_ id: String) throws(ClientError) -> UpdateReply {
    try call("POST", "/v1/deliveries/\(percentEncoded(id))/ack")
  }

  /// Reports that a delivered update was not applied. With `later` this is not a failure, and it is delivered again.
  public func refuse(delivery id: String, reason: String, later: Bool = false) throws(ClientError) -> UpdateReply {
    try call(
      "POST", "/v1/deliveries/\(percentEncoded(id))/nack", try encoded(RefusalRequest(reason: reason, later: later)))
  }

  /// One `EventReply` per line, starting after the event number `since`; nil starts with the next event.
  public func events(since: Int64? = nil) throws(ClientError) -> ReplyStream {
    try ReplyStream(self, "GET", "/v1/events" + query([("since", since.map { "\($0)" })]))
  }
}

/// Any JSON object: the answer to a release has no meaning.
private struct HoldOrAbout: Decodable {}
