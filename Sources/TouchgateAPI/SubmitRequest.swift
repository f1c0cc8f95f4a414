/// `POST /v1/updates`. Only `handler` is required.
public struct SubmitRequest: Codable, Equatable, Sendable {
  /// The name of a handler that the administrator configured.
  public var handler: String
  /// Passed to the handler as `TOUCHGATE_PARAM_NAME`; only names that the handler declares.
  public var parameters: [String: String]?
  /// Passed to the handler on standard input, as text or as base64; at most 1 MiB decoded, and not both.
  public var payload: String?
  public var payloadBase64: String?
  /// The client's own id (1 to 64 of `A-Za-z0-9._-`), which makes a retry safe; else the service makes one.
  public var id: String?

  public init(
    handler: String, parameters: [String: String]? = nil, payload: String? = nil, payloadBase64: String? = nil,
    id: String? = nil
  ) {
    self.handler = handler
    self.parameters = parameters
    self.payload = payload
    self.payloadBase64 = payloadBase64
    self.id = id
  }

  /// Every field there is; anything else is refused by name.
  public static let fields: Set<String> = ["handler", "parameters", "payload", "payloadBase64", "id"]
}
