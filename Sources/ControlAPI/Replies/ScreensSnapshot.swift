public import Gating
public import Timeline

/// The screens and devices of the machine at one moment, as replies show them.
public struct ScreensSnapshot: Sendable {
  public var screens: Screens
  public var devices: [DeviceView]
  /// Since when the machine is going to sleep; nil: it is not.
  public var sleepsSince: Instant?
  /// A node that keeps all screens shut until udev reports it.
  public var pending: PendingNode?

  public struct PendingNode: Equatable, Sendable {
    public let node: String
    public let since: Instant

    public init(node: String, since: Instant) {
      self.node = node
      self.since = since
    }
  }

  public init(
    screens: Screens, devices: [DeviceView] = [], sleepsSince: Instant? = nil, pending: PendingNode? = nil
  ) {
    self.pending = pending
    self.screens = screens
    self.devices = devices
    self.sleepsSince = sleepsSince
  }

  /// Refuses the name of a screen that is neither present nor known to be missing; nil, for all screens, is accepted.
  public func require(_ screen: String?) throws(CallRefusal) {
    guard let screen, !screens.isKnown(screen) else { return }
    let names = Set(screens.gates.keys).union(screens.absences.keys)
    throw CallProblem.unknownScreen(screen, known: names.map { "'\($0)'" }).refusal
  }
}

/// One touch device, as replies show it.
public struct DeviceView: Equatable, Sendable {
  public var screen: String
  /// `/dev/input/event3`
  public var node: String
  public var name: String
  /// ID_PATH of udev; empty for a virtual device.
  public var path: String
  /// `ok`, or what is wrong and what to do.
  public var health: String

  public init(screen: String, node: String, name: String, path: String, health: String) {
    self.screen = screen
    self.node = node
    self.name = name
    self.path = path
    self.health = health
  }
}
