/// `POST /v1/updates`. Only `handler` is required.
public struct SubmitRequest: Codable, Equatable, Sendable {
  /// The name of a handler that the administrator configured.
  public var handler: String
  /// Passed to the handler as `TOUCHGATE_PARAM_NAME`. The handler must declare each name.
  public var parameters: [String: String]?
  /// Passed to the handler on standard input, as text or as base64, not both; at most 1 MiB decoded.
  public var payload: String?
  public var payloadBase64: String?
  /// The client's own ID for the update (1 to 64 of `A-Za-z0-9._-`, the first a letter or a digit), unique among the
  /// updates of its user, which makes a retry safe; nil: none.
  public var clientId: String?
  /// An older name of `clientId`.
  public var id: String?

  /// What the update is about; at most 200 bytes. A newer update of the same user with the same handler and key
  /// supersedes the waiting one, unless the handler's `Coalesce=` or `SharedKeys=` says otherwise.
  public var key: String?
  /// -100 to 100, default 0; higher is applied first.
  public var priority: Int?
  /// How long nobody may have touched, such as `1s`; at most 1 h; nil: as the handler is configured.
  public var quietPeriod: String?
  /// Apply no earlier: RFC 3339 in UTC, or a time span from now such as `30min`.
  public var notBefore: String?
  /// When to do what `onDeadline` says, if the update is still waiting; written as `notBefore`.
  public var deadline: String?
  /// `expire` (default): drop the update; `apply`: skip the quiet period and the backoff; `force`: apply even while
  /// touched (requires the right `Force=`).
  public var onDeadline: String?
  /// Wait for this screen only; nil: all screens.
  public var screen: String?

  public init(
    handler: String, parameters: [String: String]? = nil, payload: String? = nil, payloadBase64: String? = nil,
    clientId: String? = nil, id: String? = nil, key: String? = nil, priority: Int? = nil, quietPeriod: String? = nil,
    notBefore: String? = nil, deadline: String? = nil, onDeadline: String? = nil, screen: String? = nil
  ) {
    self.screen = screen
    self.handler = handler
    self.parameters = parameters
    self.payload = payload
    self.payloadBase64 = payloadBase64
    self.clientId = clientId
    self.id = id
    self.key = key
    self.priority = priority
    self.quietPeriod = quietPeriod
    self.notBefore = notBefore
    self.deadline = deadline
    self.onDeadline = onDeadline
  }

  /// All fields. Any other is refused by name.
  public static let fields: Set<String> = [
    "handler", "parameters", "payload", "payloadBase64", "clientId", "id", "key", "priority", "quietPeriod",
    "notBefore", "deadline", "onDeadline", "screen",
  ]
}
