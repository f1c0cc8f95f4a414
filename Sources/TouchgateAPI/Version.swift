/// The version of touchgate: service, command and client library.
public enum Version {
  /// Such as `0.1.0`.
  public static let text = "0.1.0"
  /// When this version was made: no right time is before it. Milliseconds since 1970; here 2026-12-01T00:00:00Z.
  public static let date: Int64 = 1_796_083_200_000
}
