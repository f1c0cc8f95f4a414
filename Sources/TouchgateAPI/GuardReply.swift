/// Results of the grabs and last looks before handlers started, since the service started.
public struct GuardReply: Codable, Equatable, Sendable {
  /// Handler starts for which devices were grabbed (`Guard=grab`).
  public var grabs = 0
  /// Handler starts that the last look prevented, because a contact began.
  public var aborts = 0
  /// Contacts that began during a grab, so that no other program saw them begin.
  public var swallowed = 0
  /// Grabs that ended during a contact: after waiting for its end, or because it had just begun.
  public var releasedOver = 0
  /// Grabs refused because another process holds the device.
  public var busy = 0

  public init() {}
}
