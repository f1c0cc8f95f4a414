/// What the socket accepts at most. Beyond them: a refusal that names the limit, never a silent cut.
public enum Limits {
  /// Request line and headers, in bytes.
  public static let header = 8 * 1024
  /// Names in the query.
  public static let queryNames = 100
  /// Request body, in bytes.
  public static let body = 2 * 1024 * 1024
  /// Payload after decoding, in bytes.
  public static let payload = 1024 * 1024
  /// Names and values of all parameters together, in bytes: they become environment variables, and are written anew
  /// whenever the update changes.
  public static let parameters = 16 * 1024
  public static let connections = 64
  public static let connectionsPerUser = 8
  /// Seconds for a request to arrive whole.
  public static let requestSeconds = 10
}
