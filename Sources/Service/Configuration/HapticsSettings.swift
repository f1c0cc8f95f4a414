public import DeviceRules
public import Haptics

/// `[Haptics]` of `touchgate.conf`.
public struct HapticsSettings: Equatable, Sendable {
  public enum Device: Equatable, Sendable {
    /// The one on the hardware of a touchscreen, else the only one.
    case byRule
    /// `Device=none`: nothing vibrates.
    case none
    case named(DeviceRule)
  }

  public var device = Device.byRule
  /// `LeadMs=`: from prepare to pulse, where nothing was prepared ahead; 0 to 100 ms. A client waits for 120 ms.
  public var lead: Duration = .milliseconds(100)
  /// `Strength=`: 0 to 1, by which all pulses are scaled; 0: nothing vibrates.
  public var strength = 1.0
  private var profile = PatternTable.Profile.motor
  private var patterns: [FeedbackKind: Pattern] = [:]

  public init() {}

  /// `Profile=`, and over it the keys that are named after the kinds.
  public var table: PatternTable {
    var table = PatternTable(profile)
    for (kind, pattern) in patterns { table[kind] = pattern }
    return table
  }

  static let keys = ["Device", "LeadMs", "Strength", "Profile"] + FeedbackKind.allCases.map(key)

  /// `success` is `Success=`.
  private static func key(_ kind: FeedbackKind) -> String {
    kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
  }

  /// One line of the section. Keys that are not known are passed over.
  mutating func read(_ key: String, _ value: String) throws(ConfigurationValue.Refused) {
    switch key {
    case "Device":
      device = value == "none" ? .none : .named(try ConfigurationValue.deviceRule(value, use: true))
    case "LeadMs":
      lead = .milliseconds(try ConfigurationValue.number(value, 0...100))
    case "Strength":
      guard let number = Double(value), (0...1).contains(number) else {
        throw ConfigurationValue.Refused(message: "\(value.quotedForMessage) is not a number from 0 to 1")
      }
      strength = number
    case "Profile":
      guard let known = PatternTable.Profile(rawValue: value) else {
        throw ConfigurationValue.Refused(message: "\(value.quotedForMessage) is neither motor nor crisp")
      }
      profile = known
    default:
      guard let kind = FeedbackKind.allCases.first(where: { Self.key($0) == key }) else { return }
      do throws(Pattern.Malformed) {
        patterns[kind] = try Pattern(value)
      } catch {
        throw ConfigurationValue.Refused(message: error.description)
      }
    }
  }
}

extension ConfigurationValue {
  /// `FeedbackOnApply=`, `FeedbackOnFail=`.
  static func feedback(_ text: String) throws(Refused) -> FeedbackKind {
    if let kind = FeedbackKind(rawValue: text) { return kind }
    let near = KnownKeys.nearest(to: text, in: FeedbackKind.allCases.map(\.rawValue))
    throw Refused(
      message: "\(text.quotedForMessage) is none of \(FeedbackKind.names)"
        + (near.map { "; did you mean \($0)?" } ?? ""))
  }
}
