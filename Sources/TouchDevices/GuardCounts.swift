/// Counts about grabs since the start of the service.
public struct GuardCounts: Equatable, Sendable {
  /// Starts for which devices were grabbed (`Guard=grab`).
  public internal(set) var grabs = 0
  /// Starts that were called off because somebody touched at the last moment.
  public internal(set) var aborts = 0
  /// Contacts that began within a grab, which no other program has seen begin.
  public internal(set) var swallowed = 0
  /// Grabs that ended while something was still down, after waiting for it, or had just landed.
  public internal(set) var releasedOver = 0
  /// Grabs refused because another process holds the device.
  public internal(set) var busy = 0

  public init() {}
}
