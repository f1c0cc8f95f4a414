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

  /// Updates of one handler with the same key are about the same thing: as the handler is configured, the newest takes
  /// the place of the one that waits. At most 200 bytes.
  public var key: String?
  /// -100 to 100; higher is applied first; 0 where nothing is said.
  public var priority: Int?
  /// How long nobody may have touched, such as `1s`; at most 1 h. Instead of the handler's.
  public var quietPeriod: String?
  /// Not to be applied earlier: RFC 3339 in UTC, or a span from now such as `30min`.
  public var notBefore: String?
  /// What `onDeadline` says happens then if it still waits; as `notBefore`.
  public var deadline: String?
  /// `expire` (where nothing is said), `apply`: no longer wait for the quiet period or after a failure, or `force`: wait
  /// for nothing (needs the right `Force=`).
  public var onDeadline: String?
  /// Wait for this screen only; else for all.
  public var screen: String?

  public init(
    handler: String, parameters: [String: String]? = nil, payload: String? = nil, payloadBase64: String? = nil,
    id: String? = nil, key: String? = nil, priority: Int? = nil, quietPeriod: String? = nil, notBefore: String? = nil,
    deadline: String? = nil, onDeadline: String? = nil, screen: String? = nil
  ) {
    self.screen = screen
    self.handler = handler
    self.parameters = parameters
    self.payload = payload
    self.payloadBase64 = payloadBase64
    self.id = id
    self.key = key
    self.priority = priority
    self.quietPeriod = quietPeriod
    self.notBefore = notBefore
    self.deadline = deadline
    self.onDeadline = onDeadline
  }

  /// Every field there is; anything else is refused by name.
  public static let fields: Set<String> = [
    "handler", "parameters", "payload", "payloadBase64", "id", "key", "priority", "quietPeriod", "notBefore",
    "deadline", "onDeadline", "screen",
  ]
}
