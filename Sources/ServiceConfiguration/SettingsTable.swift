import DeviceRules
import Gating
import Haptics
import Scheduling
import TouchModel

/// All keys of `touchgate.conf` and its drop-ins. Known keys, reading, and what a reload must do follow from the rows.
///
/// To add a key: a row here, its property in `Configuration`, its values in `SettingsTableTests`, its paragraph in
/// `touchgate.conf(5)` and its line in `config/touchgate.conf`.
public enum SettingsTable {
  typealias Row = Setting<Configuration>

  static let rows = gate + queue + clock + screens + devices + rights + haptics

  /// What a reload must do to replace one configuration by another.
  public static func changes(from old: Configuration, to new: Configuration) -> SettingsChanges {
    var changes = SettingsChanges()
    for row in rows where row.differs(old, new) {
      changes.keys[row.reload, default: []].append("[\(row.section)] \(row.key)=")
    }
    let names = Set(old.handlers.keys).union(new.handlers.keys)
    changes.handlers = names.filter { old.handlers[$0] != new.handlers[$0] }.sorted()
    return changes
  }

  private static let gate = [
    Row("Gate", "QuietPeriod", \.quietPeriod, .timeSpan(), default: "1s", .atOnce),
    Row("Gate", "FirstScreenTimeout", \.firstScreenTimeout, .timeSpan(), default: "10s", .devicesReadAgain),
    Row("Gate", "OnNoScreen", \.onNoScreen, .choice, default: "apply", .devicesReadAgain),
    Row("Gate", "MissingScreenGrace", \.missingScreenGrace, .timeSpan(), default: "1min", .devicesReadAgain),
    Row("Gate", "RequireScreens", \.requiredScreens, .screenNames, default: "", .devicesReadAgain),
    Row("Gate", "StuckAfter", \.stuckAfter, .timeSpan(atLeast: .seconds(10)), default: "10min", .devicesReadAgain),
    Row("Gate", "OnStuck", \.onStuck, .choice, default: "ignore", .devicesReadAgain),
    Row("Gate", "GuardMax", \.guardMax, .timeSpan(), default: "2s", .devicesReadAgain),
    Row("Gate", "MaxTurn", \.maxTurn, .timeSpan(atLeast: .seconds(1)), default: "1h", .atOnce),
    Row("Gate", "MaxHold", \.maxHold, .timeSpan(atLeast: .seconds(1)), default: "1h", .atOnce),
  ]

  private static let queue = [
    Row("Queue", "RetryInterval", \.retryInterval, .timeSpan(atLeast: .milliseconds(100)), default: "1s", .atOnce),
    Row("Queue", "MaxWaiting", \.maxWaiting, .number(1...1_000_000), default: "10000", .atOnce),
    Row("Queue", "MaxWaitingPerUser", \.maxWaitingPerUser, .number(1...1_000_000), default: "1000", .atOnce),
    Row("Queue", "MaxWaitingBytes", \.maxWaitingBytes, .size, default: "64M", .atOnce),
    Row("Queue", "MaxWaitingBytesPerUser", \.maxWaitingBytesPerUser, .size, default: "16M", .atOnce),
    Row("Queue", "KeepHistory", \.history.age, .timeSpan(atLeast: .seconds(60)), default: "30d", .atOnce),
    Row("Queue", "KeepHistoryEntries", \.history.entries, .number(1...1_000_000), default: "10000", .atOnce),
    Row("Queue", "KeepPayloads", \.history.payloadBytes, .size, default: "16M", .atOnce),
  ]

  private static let clock = [
    Row("Clock", "Trust", \.clock.trust, .choice, default: "verified", .atOnce),
    Row("Clock", "ClockWait", \.clock.wait, .timeSpan(), default: "10min", .atOnce),
  ]

  private static let screens = [
    Row("Screen NAME", "Match", comparing: \.screens.matches, isRepeatable: true, .devicesReadAgain) {
      entry, configuration throws(Refused) in
      let rule = try ValueReader.deviceRule(use: true).read(entry.value)
      // Without a section the name is invalid, which has been reported.
      guard let name = entry.screenName, var section = configuration.screens.sections[name] else { return }
      section.matches.append(rule)
      configuration.screens.add(section)
    },
    Row("Screen NAME", "IgnoreArea", comparing: \.screens.ignoredAreas, isRepeatable: true, .devicesReadAgain) {
      entry, configuration throws(Refused) in
      guard let area = ScreenArea(entry.value) else { throw Refused(.badArea, entry.value.quotedForMessage) }
      guard let name = entry.screenName, var section = configuration.screens.sections[name] else { return }
      section.ignoredAreas.append(area)
      configuration.screens.add(section)
    },
  ]

  /// The order of all lines of both keys decides, so a change concerns both.
  private static let devices = ["Use", "Ignore"].map { key in
    Row("Devices", key, comparing: \.deviceRules, isRepeatable: true, .devicesReadAgain) {
      entry, configuration throws(Refused) in
      configuration.deviceRules.append(try ValueReader.deviceRule(use: key == "Use").read(entry.value))
    }
  }

  private static let rights = [
    Row("Rights", "Force", \.rights.force, .principals, default: "", .atOnce),
    Row("Rights", "Hold", optional: \.rights.hold, .principals, .atOnce),
    Row("Rights", "Grab", \.rights.grab, .principals, default: "", .atOnce),
    Row("Rights", "Admin", \.rights.admin, .principals, default: "", .atOnce),
  ]

  private static let haptics =
    [
      Row("Haptics", "Device", \.haptics.device, .hapticsDevice, default: nil, .restart),
      Row("Haptics", "LeadMs", \.haptics.lead, .milliseconds(0...100), default: "100", .restart),
      Row("Haptics", "Strength", \.haptics.strength, .fraction, default: "1", .restart),
      Row("Haptics", "Profile", \.haptics.profile, .choice, default: "motor", .restart),
    ]
    + FeedbackKind.allCases.map { kind in
      // `success` is `Success=`.
      let key = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
      return Row("Haptics", key, optional: \.haptics[pattern: kind], .pattern, .restart)
    }
}
