/// The version of touchgate: service, command and client library.
public enum Version {
  /// Such as `0.1.0`.
  public static let text = "0.1.0"
}
