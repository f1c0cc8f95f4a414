/// A line of `GET /v1/deliveries`: an update for the receiver to apply now, and to acknowledge or refuse.
public struct DeliveryReply: Codable, Equatable, Sendable {
  /// ID of the update, for `POST /v1/deliveries/{id}/ack` and `/nack`.
  public var id: String
  /// The ID that the client gave it; nil: none.
  public var clientId: String?
  public var handler: String
  public var parameters: [String: String]
  /// As text if it is UTF-8, else as base64; both are nil if there is no payload.
  public var payload: String?
  public var payloadBase64: String?
  /// Counts from 1.
  public var attempt: Int
  /// Time limit for the answer (RFC 3339, UTC); after it the update has failed.
  public var answerBy: String

  public init(
    id: String, clientId: String? = nil, handler: String, parameters: [String: String], payload: String?,
    payloadBase64: String?, attempt: Int, answerBy: String
  ) {
    self.id = id
    self.clientId = clientId
    self.handler = handler
    self.parameters = parameters
    self.payload = payload
    self.payloadBase64 = payloadBase64
    self.attempt = attempt
    self.answerBy = answerBy
  }
}

/// `POST /v1/deliveries/{id}/nack`.
public struct RefusalRequest: Codable, Equatable, Sendable {
  /// What went wrong, for the history; at most 1000 bytes.
  public var reason: String?
  /// True: not a failure; deliver it again later.
  public var later: Bool?

  public init(reason: String? = nil, later: Bool? = nil) {
    self.reason = reason
    self.later = later
  }

  public static let fields: Set<String> = ["reason", "later"]
}
