/// Limits of a request. What exceeds one is refused with an error that names it; nothing is cut silently.
public enum Limits {
  /// Request line and headers, in bytes.
  public static let header = 8 * 1024
  /// Number of names in the query.
  public static let queryNames = 100
  /// Request body, in bytes.
  public static let body = 2 * 1024 * 1024
  /// Payload after decoding, in bytes.
  public static let payload = 1024 * 1024
  /// Names and values of all parameters together, in bytes: they become environment variables, and are written again
  /// whenever the update changes.
  public static let parameters = 16 * 1024
  /// Connections at the same time that are idle, send a request or read its answer.
  public static let connections = UserLimits(all: 64, perUser: 8)
  /// Connections at the same time whose answer comes late or stays open.
  public static let openRequests = UserLimits(all: 512, perUser: 64)
  /// Holds at the same time, bound ones and those with an end of their own.
  public static let holds = UserLimits(all: 64, perUser: 16)
  /// Seconds until a request must be complete.
  public static let requestSeconds = 10
}
