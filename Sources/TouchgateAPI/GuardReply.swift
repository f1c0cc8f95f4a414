/// What came of the grabs and last looks before handlers started, since the service was started.
public struct GuardReply: Codable, Equatable, Sendable {
  /// Starts for which devices were grabbed (`Guard=grab`).
  public var grabs = 0
  /// Starts that were called off because somebody touched at the last moment.
  public var aborts = 0
  /// Contacts that began within a grab, which no other program has seen begin.
  public var swallowed = 0
  /// Grabs that ended while something was still down, after waiting for it, or had just landed.
  public var releasedOver = 0
  /// Grabs refused because another process holds the device.
  public var busy = 0

  public init() {}
}
