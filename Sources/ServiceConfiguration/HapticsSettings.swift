public import DeviceRules
public import Haptics

/// `[Haptics]` of `touchgate.conf`.
public struct HapticsSettings: Equatable, Sendable {
  /// Which device vibrates.
  public enum Device: Equatable, Sendable {
    /// The one on the hardware of a touchscreen, else the only one.
    case automatic
    /// `Device=none`: nothing vibrates.
    case none
    /// The one that the rule matches.
    case named(DeviceRule)
  }

  /// `Device=`.
  public var device = Device.automatic
  /// `LeadMs=`: from prepare to pulse, unless the pulse was prepared earlier; 0 to 100 ms. A client waits for 120 ms.
  public var lead: Duration = .milliseconds(100)
  /// `Strength=`: the factor of all pulses, 0 to 1; 0: nothing vibrates.
  public var strength = 1.0
  /// `Profile=`: the patterns of kinds whose key is not set.
  public var profile = PatternTable.Profile.motor
  private var patterns: [FeedbackKind: Pattern] = [:]

  /// The defaults.
  public init() {}

  /// `Success=` and so on: the pattern of one kind; nil: the profile's.
  subscript(pattern kind: FeedbackKind) -> Pattern? {
    get { patterns[kind] }
    set { patterns[kind] = newValue }
  }

  /// The pattern of every kind.
  public var table: PatternTable {
    var table = PatternTable(profile)
    for (kind, pattern) in patterns { table[kind] = pattern }
    return table
  }
}
