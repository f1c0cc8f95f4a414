import TouchgateAPI

/// All endpoints of the socket. Routing, the checks of queries and bodies, and the comparison with docs/openapi.yaml follow
/// from this table.
extension Endpoint {
  public static let table: [Endpoint] = [
    // The service
    Endpoint(.get, "/v1", .about),
    Endpoint(.get, "/v1/openapi.yaml", .contract),
    Endpoint(.get, "/v1/status", .status),
    Endpoint(.get, "/v1/screens", .screens, query: ["all"]),
    Endpoint(.delete, "/v1/screens", .forgetScreen, query: [.required("name")]),
    Endpoint(.get, "/v1/events", .events, query: ["since"]),
    Endpoint(.get, "/metrics", .metrics),

    // Updates
    Endpoint(
      .post, "/v1/updates", .submit, query: ["wait", "dryRun", "ifQuiet"],
      body: .required(fields: SubmitRequest.fields)),
    Endpoint(.get, "/v1/updates", .list, query: [.repeatable("state"), "limit"]),
    Endpoint(.get, "/v1/updates/{id}", Call.show, query: ["user"]),
    Endpoint(.delete, "/v1/updates/{id}", Call.cancel, query: ["user"]),
    Endpoint(.get, "/v1/updates/{id}/payload", Call.payload, query: ["user"]),
    Endpoint(.get, "/v1/updates/{id}/parameters", Call.parameters, query: ["user"]),
    Endpoint(.post, "/v1/updates/{id}/apply", Call.expedite, query: ["user"]),
    Endpoint(.post, "/v1/updates/{id}/force", Call.force, query: ["user"]),
    Endpoint(.post, "/v1/updates/{id}/retry", Call.retry, query: ["user"]),
    Endpoint(.get, "/v1/updates/{id}/wait", Call.wait, query: ["timeout", "user"]),
    Endpoint(.get, "/v1/updates/{id}/why", Call.why, query: ["user"]),
    Endpoint(.get, "/v1/why", .whyAll),

    // Quiet moments
    Endpoint(.get, "/v1/quiet", .quiet, query: ["for", "screen", "timeout"]),
    Endpoint(.post, "/v1/turns", .turn, query: ["timeout"], body: .optional(fields: TurnRequest.fields)),
    Endpoint(.get, "/v1/turns", .turns),
    Endpoint(.delete, "/v1/turns/{id}", Call.endTurn),
    Endpoint(.post, "/v1/holds", .hold, body: .required(fields: HoldRequest.fields)),
    Endpoint(.get, "/v1/holds", .holds),
    Endpoint(.delete, "/v1/holds/{id}", Call.release),
    Endpoint(.post, "/v1/pause", .pause, body: .optional(fields: PauseRequest.fields)),
    Endpoint(.post, "/v1/resume", .resume),

    // Applications that apply updates themselves
    Endpoint(.get, "/v1/deliveries", .receive, query: [.required("handler")]),
    Endpoint(.post, "/v1/deliveries/{id}/ack", Call.acknowledge),
    Endpoint(.post, "/v1/deliveries/{id}/nack", Call.refuse, body: .optional(fields: RefusalRequest.fields)),

    // Haptics
    Endpoint(.post, "/v1/feedback", .feedback, body: .required(fields: FeedbackRequest.fields)),
  ]
}
