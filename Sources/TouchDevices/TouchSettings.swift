public import DeviceRules
public import Gating
public import TouchModel

/// What the administrator decides about touchscreens and gates.
public struct TouchSettings: Equatable, Sendable {
  /// Which devices are touchscreens; the last rule that matches a device decides.
  public var deviceRules: [DeviceRule]
  /// Which devices make up which screen.
  public var screens: ScreenRules
  /// What applies if screens are missing.
  public var screenRules: Screens.Rules
  /// A contact that has not changed for this long is stuck.
  public var stuckAfter: Duration
  public var onStuck: ContactTracker.StuckPolicy
  /// The longest time that a grab lasts while the handler runs.
  public var guardMax: Duration

  public init(
    deviceRules: [DeviceRule] = [], screens: ScreenRules = ScreenRules(), screenRules: Screens.Rules = Screens.Rules(),
    stuckAfter: Duration = .seconds(600), onStuck: ContactTracker.StuckPolicy = .ignore,
    guardMax: Duration = .seconds(2)
  ) {
    self.deviceRules = deviceRules
    self.screens = screens
    self.screenRules = screenRules
    self.stuckAfter = stuckAfter
    self.onStuck = onStuck
    self.guardMax = guardMax
  }
}
