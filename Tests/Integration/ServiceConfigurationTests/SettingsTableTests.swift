import Testing

@testable import ServiceConfiguration

/// Values of a key: one that changes something, and one that is refused.
struct Sample {
  let good: String
  let bad: String
  /// Lines that a handler's file needs before the key.
  let context: String

  /// Lines that make a handler without the key.
  let complete: String

  init(_ good: String, bad: String, with context: String = "Exec=/bin/true", instead complete: String? = nil) {
    self.good = good
    self.bad = bad
    self.context = context
    self.complete = complete ?? (context.isEmpty ? "Exec=/bin/true" : context)
  }

  static let settings: [String: Sample] = [
    "Gate QuietPeriod": Sample("2s", bad: "soon"),
    "Gate FirstScreenTimeout": Sample("1min", bad: "-1s"),
    "Gate OnNoScreen": Sample("hold", bad: "maybe"),
    "Gate MissingScreenGrace": Sample("5s", bad: "5 parsecs"),
    "Gate RequireScreens": Sample("lobby \"till 2\"", bad: "\"open"),
    "Gate StuckAfter": Sample("10s", bad: "9s"),
    "Gate OnStuck": Sample("hold", bad: "release"),
    "Gate GuardMax": Sample("5s", bad: "x"),
    "Gate MaxTurn": Sample("infinity", bad: "999ms"),
    "Gate MaxHold": Sample("1s", bad: "999ms"),
    "Queue RetryInterval": Sample("100ms", bad: "99ms"),
    "Queue MaxWaiting": Sample("1", bad: "0"),
    "Queue MaxWaitingPerUser": Sample("1000000", bad: "1000001"),
    "Queue MaxWaitingBytes": Sample("1G", bad: "65G"),
    "Queue MaxWaitingBytesPerUser": Sample("1K", bad: "1MB"),
    "Clock Trust": Sample("always", bad: "never"),
    "Clock ClockWait": Sample("1h", bad: "soon"),
    "Queue KeepHistory": Sample("infinity", bad: "59s"),
    "Queue KeepHistoryEntries": Sample("7", bad: "many"),
    "Queue KeepPayloads": Sample("0", bad: "M"),
    "Screen NAME Match": Sample("name:ILITEK*", bad: "ILITEK"),
    "Screen NAME IgnoreArea": Sample("0-5 0-100", bad: "5-0 0-100"),
    "Devices Use": Sample("id:222a:001c", bad: "id:222a"),
    "Devices Ignore": Sample("seat:seat1", bad: "seats:seat1"),
    "Rights Force": Sample("root @root 1000", bad: "no-such-user"),
    "Rights Hold": Sample("", bad: "@no-such-group"),
    "Rights Grab": Sample("1000", bad: "no-such-user"),
    "Rights Admin": Sample("@0", bad: "@"),
    "Haptics Device": Sample("none", bad: "some"),
    "Haptics LeadMs": Sample("0", bad: "101"),
    "Haptics Strength": Sample("0.5", bad: "1.01"),
    "Haptics Profile": Sample("crisp", bad: "soft"),
    "Haptics Success": Sample("10@1", bad: "9@1"),
    "Haptics Warning": Sample("10@1", bad: "501@1"),
    "Haptics Error": Sample("10@1 g10 10@1", bad: "10@1 g10"),
    "Haptics Light": Sample("10@1", bad: "10@0"),
    "Haptics Medium": Sample("10@1", bad: "10"),
    "Haptics Heavy": Sample("10@1", bad: ""),
    "Haptics Selection": Sample("10@1", bad: "g10"),
  ]

  static let handler: [String: Sample] = [
    "Handler Exec": Sample("/bin/false", bad: "bin/false", with: ""),
    "Handler Unit": Sample("touchgate-x@.service", bad: "x.timer", with: ""),
    "Handler Deliver": Sample("yes", bad: "maybe", with: "AllowUsers=root", instead: "Exec=/bin/true\nAllowUsers=root"),
    "Handler Param": Sample("page ^[a-z]+$", bad: "9page"),
    "Handler Timeout": Sample("infinity", bad: "0"),
    "Handler Guard": Sample("grab", bad: "lock"),
    "Handler QuietPeriod": Sample("0", bad: "later"),
    "Handler Key": Sample("menu", bad: String(repeating: "k", count: 201)),
    "Handler Screen": Sample("Lobby", bad: String(repeating: "s", count: 65)),
    "Handler Deadline": Sample("8h", bad: "infinity"),
    "Handler OnDeadline": Sample("apply", bad: "never"),
    "Handler Override": Sample("Key QuietPeriod", bad: "Everything"),
    "Handler Attempts": Sample("100", bad: "101"),
    "Handler Backoff": Sample("100ms", bad: "99ms"),
    "Handler Coalesce": Sample("all", bad: "none"),
    "Handler SharedKeys": Sample("yes", bad: "shared"),
    "Handler OnInterrupted": Sample("fail", bad: "ask"),
    "Handler Reboots": Sample("yes", bad: "never"),
    "Handler RebootTimeout": Sample("1s", bad: "999ms", with: "Exec=/bin/true\nReboots=yes"),
    "Handler SatisfiedByReboot": Sample("yes", bad: "2"),
    "Handler AllowUsers": Sample("root", bad: "no-such-user"),
    "Handler AllowGroups": Sample("root", bad: "no-such-group"),
    "Handler FeedbackOnApply": Sample("heavy", bad: "loud"),
    "Handler FeedbackOnFail": Sample("error", bad: "failure"),
  ]
}

/// A row of either table, without its functions.
struct Row: CustomTestStringConvertible {
  let section: String
  let key: String
  let standard: String?
  let isRepeatable: Bool
  let reload: ReloadEffect

  init<Target>(_ setting: Setting<Target>) {
    section = setting.section
    key = setting.key
    standard = setting.standard
    isRepeatable = setting.isRepeatable
    reload = setting.reload
  }

  static let settings = SettingsTable.rows.map { Row($0) }
  static let handler = HandlerTable.rows.map { Row($0) }

  var name: String { "\(section) \(key)" }
  var testDescription: String { "[\(section)] \(key)=" }
}

@Suite("Tables of settings")
struct SettingsTableTests {
  let root: Root

  init() throws { root = try Root() }

  /// `touchgate.conf` with this line in the row's section.
  private func read(_ row: Row, _ value: String, twice: Bool = false) throws -> Configuration {
    let section = row.section == "Screen NAME" ? "Screen lobby" : row.section
    let line = "\(row.key)=\(value)\n"
    try root.write("etc/touchgate.conf", "[\(section)]\n\(line)\(twice ? line : "")")
    return try root.read()
  }

  /// The handler of a file with these lines.
  private func handler(_ lines: String...) throws -> HandlerDefinition {
    try root.write("etc/handlers.d/h.conf", "[Handler]\n" + lines.joined(separator: "\n"))
    return try #require(try root.read().handlers["h"])
  }

  @Test("every key has a sample, and every sample a key")
  func samples() {
    #expect(Set(Row.settings.map(\.name)) == Set(Sample.settings.keys))
    #expect(Set(Row.handler.map(\.name)) == Set(Sample.handler.keys))
    #expect(Row.settings.count == Sample.settings.count && Row.handler.count == Sample.handler.count, "no row twice")
  }

  @Test(
    "a good value changes the configuration; a reload reports its name and the effect of the row",
    arguments: Row.settings)
  func changes(_ row: Row) throws {
    let new = try read(row, try #require(Sample.settings[row.name]).good)
    #expect(new != Configuration())
    let changes = SettingsTable.changes(from: Configuration(), to: new)
    #expect(changes.effects == [row.reload])
    #expect(changes.handlers == [])
    // The order of both keys' lines decides, so both are named.
    let names = row.section == "Devices" ? ["[Devices] Use=", "[Devices] Ignore="] : [row.testDescription]
    #expect(changes.keys == [row.reload: names])
    #expect(SettingsTable.changes(from: new, to: new) == SettingsChanges())
    #expect(SettingsTable.changes(from: new, to: Configuration()) == changes)
  }

  @Test("a good value changes the handler", arguments: Row.handler)
  func changesHandler(_ row: Row) throws {
    let sample = try #require(Sample.handler[row.name])
    #expect(try handler(sample.context, "\(row.key)=\(sample.good)") != handler(sample.complete))
  }

  @Test("a bad value is the only problem, with file, line and key", arguments: Row.settings)
  func refuses(_ row: Row) throws {
    let bad = try #require(Sample.settings[row.name]).bad
    #expect(throws: ConfigurationError.self) { try read(row, bad) }
    try root.expectProblems([("etc/touchgate.conf", 2, ["\(row.key)="])])
  }

  @Test("a bad value of a handler is the only problem, with file, line and key", arguments: Row.handler)
  func refusesHandler(_ row: Row) throws {
    let sample = try #require(Sample.handler[row.name])
    #expect(throws: ConfigurationError.self) { try handler(sample.context, "\(row.key)=\(sample.bad)") }
    let line = 2 + sample.context.split(separator: "\n", omittingEmptySubsequences: false).count
    try root.expectProblems([("etc/handlers.d/h.conf", line, ["\(row.key)="])])
  }

  @Test(
    "the default, written out, changes nothing", arguments: (Row.settings + Row.handler).filter { $0.standard != nil })
  func defaults(_ row: Row) throws {
    let standard = try #require(row.standard)
    if row.section == HandlerTable.section {
      let complete = try #require(Sample.handler[row.name]).complete
      #expect(try handler(complete, "\(row.key)=\(standard)") == handler(complete))
    } else {
      #expect(try read(row, standard) == Configuration())
    }
  }

  @Test("a second line with the same key is a duplicate, unless the key is repeatable", arguments: Row.settings)
  func duplicates(_ row: Row) throws {
    let good = try #require(Sample.settings[row.name]).good
    if row.isRepeatable {
      _ = try read(row, good, twice: true)
    } else {
      #expect(throws: ConfigurationError.self) { try read(row, good, twice: true) }
      try root.expectProblems([("etc/touchgate.conf", 3, ["\(row.key)= is duplicated; first set on line 2"])])
    }
  }

  @Test("handlers that are new, gone or different are named by a reload, and apply at once")
  func handlerChanges() throws {
    for name in ["same", "gone", "changed"] {
      try root.write("etc/handlers.d/\(name).conf", "[Handler]\nExec=/bin/a\n")
    }
    let old = try root.read()
    try root.write("etc/handlers.d/changed.conf", "[Handler]\nExec=/bin/b\n")
    try root.write("etc/handlers.d/new.conf", "[Handler]\nExec=/bin/a\n")
    var new = try root.read()
    new.handlers["gone"] = nil
    let changes = SettingsTable.changes(from: old, to: new)
    #expect(changes.handlers == ["changed", "gone", "new"])
    #expect(changes.keys == [:] && changes.effects == [.atOnce])
  }

  @Test("keys that need a restart are named in one notice")
  func restart() throws {
    try root.write("etc/touchgate.conf", "[Haptics]\nStrength=0\nLeadMs=0\n[Gate]\nQuietPeriod=2s\n")
    let changes = SettingsTable.changes(from: Configuration(), to: try root.read())
    #expect(changes.effects == [.atOnce, .restart])
    #expect(changes.restartNotice == "[Haptics] LeadMs=, [Haptics] Strength= changed; restart touchgated to apply it")
    #expect(SettingsTable.changes(from: Configuration(), to: Configuration()).restartNotice == nil)
  }
}
