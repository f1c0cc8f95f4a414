import Haptics
import Scheduling

/// All keys of a handler's file. Known keys and reading follow from the rows.
///
/// To add a key: a row here, its property in `HandlerDefinition`, its values in `SettingsTableTests`, its paragraph in
/// `touchgate.conf(5)` and, if people start with it, its line in an example of `config/handlers.d`.
enum HandlerTable {
  typealias Row = Setting<HandlerDraft>

  static let section = "Handler"
  /// Exactly one of these applies updates.
  static let kinds = ["Exec", "Unit", "Deliver"]

  static let rows = applying + terms + attempts + permissions

  private static let applying = [
    Row(section, "Exec", optional: \.command, .command, .atOnce),
    Row(section, "Unit", optional: \.unit, .unit, .atOnce),
    Row(section, "Deliver", \.delivers, .yesOrNo, default: "no", .atOnce),
    Row(section, "Param", comparing: \.definition.parameters, isRepeatable: true, .atOnce) {
      entry, draft throws(Refused) in
      try draft.definition.declare(ParameterDefinition(reading: entry.value))
    },
    Row(section, "Timeout", \.definition.timeout, .timeSpan(atLeast: .milliseconds(1)), default: "5min", .atOnce),
    Row(section, "Guard", \.definition.guardKind, .choice, default: "verify", .atOnce),
  ]

  private static let terms = [
    Row(section, "QuietPeriod", optional: \.definition.terms.quietPeriod, .timeSpan(), .atOnce),
    Row(section, "Key", optional: \.definition.terms.key, .updateKey, .atOnce),
    Row(section, "Screen", optional: \.definition.terms.screen, .screenName, .atOnce),
    Row(
      section, "Deadline", optional: \.definition.terms.deadline,
      .timeSpan(atLeast: .seconds(1), atMost: .seconds(10 * 365 * 86400)), .atOnce),
    Row(section, "OnDeadline", optional: \.definition.terms.onDeadline, .choice, .atOnce),
    Row(section, "Override", \.definition.terms.overridable, .terms, default: "", .atOnce),
  ]

  private static let attempts = [
    Row(section, "Attempts", \.definition.policy.attempts, .number(1...100), default: "1", .atOnce),
    Row(
      section, "Backoff", \.definition.policy.backoff, .timeSpan(atLeast: .milliseconds(100)), default: "10s", .atOnce),
    // Without a default: written out, it also gives the handler a key.
    Row(section, "Coalesce", comparing: \.definition.policy.coalescing, .atOnce) {
      entry, draft throws(Refused) in
      draft.definition.policy.coalescing = try ValueReader.choice.read(entry.value)
      draft.coalesces = true
    },
    Row(section, "SharedKeys", \.definition.policy.sharesKeys, .yesOrNo, default: "no", .atOnce),
    Row(section, "OnInterrupted", \.definition.policy.onInterrupted, .choice, default: "retry", .atOnce),
    Row(section, "Reboots", \.reboots, .yesOrNo, default: "no", .atOnce),
    Row(section, "RebootTimeout", \.rebootTimeout, .timeSpan(atLeast: .seconds(1)), default: "10min", .atOnce),
    Row(section, "SatisfiedByReboot", \.definition.policy.isSatisfiedByReboot, .yesOrNo, default: "no", .atOnce),
  ]

  private static let permissions = [
    Row(section, "AllowUsers", comparing: \.definition.allowed, .atOnce) { entry, draft throws(Refused) in
      let users = try Principals(users: entry.value)
      draft.definition.allow(users)
      draft.namesUsers = users != Principals()
    },
    Row(section, "AllowGroups", comparing: \.definition.allowed, .atOnce) { entry, draft throws(Refused) in
      draft.definition.allow(try Principals(groups: entry.value))
    },
    Row(section, "FeedbackOnApply", optional: \.definition.feedbackOnApply, .choice, .atOnce),
    Row(section, "FeedbackOnFail", optional: \.definition.feedbackOnFail, .choice, .atOnce),
  ]
}

/// A handler while its file is read.
struct HandlerDraft {
  /// `Exec=`.
  var command: [String]?
  /// `Unit=`.
  var unit: String?
  /// `Deliver=yes`.
  var delivers = false
  /// `AllowUsers=` names a user.
  var namesUsers = false
  /// `Coalesce=` is written, so updates without a key are about the handler itself.
  var coalesces = false
  /// `Reboots=yes`.
  var reboots = false
  /// `RebootTimeout=`; has no effect without `reboots`.
  var rebootTimeout: Duration = .seconds(600)
  /// All other keys. Its kind is the first of `kinds`, once the whole file has been read.
  var definition: HandlerDefinition

  init(name: String, file: String) {
    definition = HandlerDefinition(name: name, file: file, kind: .delivery)
  }

  /// All kinds that the file sets; exactly one is allowed.
  var kinds: [HandlerKind] {
    [command.map { .program($0) }, unit.map { .unit($0) }, delivers ? .delivery : nil].compactMap(\.self)
  }

  /// The handler of the first kind, when the file has no problem; nil without a kind.
  var finished: HandlerDefinition? {
    guard let kind = kinds.first else { return nil }
    var definition = definition
    definition.kind = kind
    definition.policy.key = definition.terms.key ?? (coalesces ? definition.name : nil)
    definition.policy.rebootTimeout = reboots ? rebootTimeout : nil
    return definition
  }
}
