public import Timeline
public import TouchModel

/// Which nodes of the machine are touchscreens, and of which screens: from what the kernel, udev and the configuration
/// say, and from the results of opening them.
///
/// A value without system calls: each input returns the actions that follow, in order. There are two methods of discovery,
/// udev and the nodes themselves. A node that looks like a touchscreen keeps the gate shut until udev has reported it, or
/// `patience` has passed; udev may be late, or absent (a container, a network namespace).
public struct DeviceDiscovery: Sendable {
  public enum Action: Equatable, Sendable {
    /// Open it, then report the result by `opened`, `refused` or `failed`.
    case open(Candidate)
    /// A touchscreen whose state is unknown. Its screens stay shut.
    case shut(syspath: String, name: String, screens: [String], why: String)
    /// One that was reported by `shut` no longer counts.
    case drop(syspath: String, screens: [String])
    /// It no longer counts, or is gone: close it if it is open.
    case close(syspath: String)
    /// A screen that is ignored now: it is not missing if it is absent.
    case forget(screen: String)
    case log(LogLevel, String)
  }

  public enum LogLevel: Equatable, Sendable {
    case info
    case warning
    case error
  }

  /// A node that counts as a touchscreen.
  public struct Candidate: Equatable, Sendable {
    public let syspath: String
    public let node: String
    public let name: String
    public let identity: String
    /// ID_PATH of udev, or the place in sysfs.
    public let path: String
    public let screen: String
    public let basis: NodeVerdict.Basis
    /// Identifies the hardware in the next boot, too (`ID_PATH vendor:product`); nil: nothing does.
    public let hardware: String?

    public var isConfigured: Bool { basis == .configured }
    public var isTagged: Bool { basis == .tagged }
  }

  /// How long udev may take to report a node.
  public static let patience: Duration = .seconds(5)
  private static let firstPause: Duration = .milliseconds(50)
  private static let longestPause: Duration = .seconds(5)

  struct Entry: Sendable {
    var node: InputNode
    var udev: UdevReport?
    let seen: Instant
    var state = State.new

    var hardware: String { "\(udev?.idPath ?? node.path) \(node.identity)" }
  }

  enum State: Equatable, Sendable {
    case new
    case leftOut(NodeVerdict.Reason)
    /// Shuts the gate of the machine, silently.
    case pending(until: Instant)
    case unreported(screen: String)
    /// Several sections of the configuration match it.
    case disputed(screens: [String])
    /// `problem`: of the attempt before.
    case opening(Candidate, pause: Duration, problem: String?)
    case open(Candidate)
    case unopened(Candidate, problem: String, pause: Duration, due: Instant)
    /// It cannot be decoded. `shuts`: its screen stays shut.
    case refused(Candidate, ScreenProfile.Refusal, shuts: Bool)
  }

  private let rules: [DeviceRule]
  private let sections: ScreenRules
  private var names: ScreenNames
  private(set) var entries: [String: Entry] = [:]

  /// `remembered`: the names of screens that hardware (`path vendor:product`) had before.
  public init(rules: [DeviceRule], sections: ScreenRules, remembered: [String: String] = [:]) {
    self.rules = rules
    self.sections = sections
    names = ScreenNames(reserved: sections.names, remembered: remembered)
  }

  public var nextDeadline: Instant? {
    entries.values.compactMap { entry in
      switch entry.state {
      case .pending(let until): until
      case .unopened(_, problem: _, pause: _, let due): due
      case .new, .leftOut, .unreported, .disputed, .opening, .open, .refused: nil
      }
    }.min()
  }

  /// The first node that waits for udev.
  public var pending: (node: InputNode, since: Instant)? {
    let waiting = entries.values.filter { if case .pending = $0.state { true } else { false } }
    return waiting.min { ($0.seen, $0.node.node) < ($1.seen, $1.node.node) }.map { ($0.node, $0.seen) }
  }

  // MARK: Inputs from udev and the kernel

  /// Nodes that exist. Those that are found together get the numbers in their names by their places on the bus.
  public mutating func found(_ nodes: [(node: InputNode, udev: UdevReport?)], at now: Instant) -> [Action] {
    var actions: [Action] = []
    let sorted = nodes.sorted { NaturalOrder.isLess($0.node.path + $0.node.syspath, $1.node.path + $1.node.syspath) }
    for (node, udev) in sorted {
      // Another device has the node now. One that is open is closed when its reader or udev says that it is gone.
      actions += replace(node.node, by: node.syspath)
      var entry = entries[node.syspath] ?? Entry(node: node, udev: nil, seen: now)
      entry.node = node
      entry.udev = udev ?? entry.udev
      entries[node.syspath] = entry
      nameBeforeReport(node.syspath)
    }
    for (node, _) in sorted { actions += review(node.syspath, now) }
    return actions
  }

  /// udev says that the device is gone.
  public mutating func gone(syspath: String) -> [Action] {
    guard entries[syspath] != nil else { return [] }
    let actions = leave(syspath)
    entries[syspath] = nil
    return actions + settle()
  }

  /// The node no longer exists.
  public mutating func gone(node: String) -> [Action] { replace(node, by: nil) + settle() }

  /// These are all nodes: after changes were lost, or if their folder is another one.
  public mutating func listed(_ nodes: [InputNode], at now: Instant) -> [Action] {
    let names = Set(nodes.map(\.node))
    let missing = Set(entries.values.map(\.node.node)).subtracting(names)
    return missing.sorted().flatMap { gone(node: $0) } + found(nodes.map { ($0, nil) }, at: now)
  }

  /// These are all devices that exist: after events were lost.
  public mutating func remain(_ syspaths: Set<String>) -> [Action] {
    entries.keys.filter { !syspaths.contains($0) }.sorted().flatMap { gone(syspath: $0) }
  }

  public mutating func timePassed(_ now: Instant) -> [Action] {
    var actions: [Action] = []
    for syspath in entries.keys.sorted() {
      switch entries[syspath]?.state {
      case .pending(let until) where until <= now:
        actions += review(syspath, now)
      case .unopened(let candidate, let problem, let pause, let due) where due <= now:
        entries[syspath]?.state = .opening(candidate, pause: pause, problem: problem)
        actions.append(.open(candidate))
      case .new, .leftOut, .pending, .unreported, .disputed, .opening, .open, .unopened, .refused, nil:
        break
      }
    }
    return actions
  }

  // MARK: Results of opening

  public mutating func opened(_ candidate: Candidate) -> [Action] {
    entries[candidate.syspath]?.state = .open(candidate)
    return settle()
  }

  /// It was opened, and is no touchscreen.
  public mutating func refused(_ candidate: Candidate, _ refusal: ScreenProfile.Refusal) -> [Action] {
    guard let entry = entries[candidate.syspath] else { return [] }
    if candidate.basis.isDisputed {
      // Only our own test had said so.
      let actions = leave(candidate.syspath)
      entries[candidate.syspath]?.state = .leftOut(.noTouchscreen)
      return actions
    }
    var actions: [Action] = []
    if case .opening(_, pause: _, problem: .some) = entry.state {
      actions.append(.drop(syspath: candidate.syspath, screens: [candidate.screen]))
    }
    entries[candidate.syspath]?.state = .refused(candidate, refusal, shuts: false)
    let settled = settle()
    if settled.isEmpty { actions.append(.log(.warning, refusalText(candidate, refusal, shuts: false))) }
    return actions + settled
  }

  /// It cannot be opened or used. `isAbsent`: the device is not there.
  public mutating func failed(_ candidate: Candidate, _ problem: String, isAbsent: Bool, at now: Instant) -> [Action] {
    let syspath = candidate.syspath
    guard let entry = entries[syspath] else { return [] }
    if isAbsent { return gone(syspath: syspath) }
    let (pause, former): (Duration, String?) =
      switch entry.state {
      case .opening(_, let pause, let problem): (pause, problem)
      case .unopened(_, let problem, let pause, due: _): (pause, problem)
      case .new, .leftOut, .pending, .unreported, .disputed, .open, .refused: (Self.firstPause, nil)
      }
    entries[syspath]?.state = .unopened(
      candidate, problem: problem, pause: min(pause * 2, Self.longestPause), due: now + pause)
    var actions: [Action] = former == problem ? [] : [.log(.warning, "screen '\(candidate.screen)': \(problem)")]
    actions.append(.shut(syspath: syspath, name: candidate.name, screens: [candidate.screen], why: problem))
    return actions + settle()
  }

  /// A device that was open is gone.
  public mutating func lost(syspath: String) -> [Action] {
    guard entries[syspath] != nil else { return [] }
    names.release(syspath)
    entries[syspath] = nil
    return settle()
  }

  // MARK: Decisions

  private mutating func review(_ syspath: String, _ now: Instant) -> [Action] {
    guard let entry = entries[syspath] else { return [] }
    let due = entry.seen + Self.patience
    switch NodeVerdict(entry.node, entry.udev, rules: rules, isOverdue: due <= now) {
    case .pending:
      entries[syspath]?.state = .pending(until: due)
      return []
    case .unreported:
      if case .unreported = entry.state { return [] }
      let screen = screenName(entry)
      let actions = leave(syspath)
      names.assign(screen, to: syspath, hardware: entry.hardware)
      entries[syspath]?.state = .unreported(screen: screen)
      let why = Self.unreportedText(entry.node)
      return actions + [
        .log(.warning, "screen '\(screen)': \(why)"),
        .shut(syspath: syspath, name: entry.node.name, screens: [screen], why: why),
      ]
    case .leftOut(let reason):
      return leaveOut(syspath, entry, reason)
    case .counts(let basis):
      return count(syspath, entry, basis)
    }
  }

  private mutating func leaveOut(_ syspath: String, _ entry: Entry, _ reason: NodeVerdict.Reason) -> [Action] {
    if entry.state == .leftOut(reason) { return [] }
    let screen = screenName(entry)
    var actions = leave(syspath)
    entries[syspath]?.state = .leftOut(reason)
    let text = "\(entry.node.node) (\(entry.node.name)) is left out: \(reason.words)"
    switch reason {
    case .ignored, .ignoredByUdev: actions.append(.forget(screen: screen))
    case .foreignSeat(let seat) where entry.udev?.tags.contains(.touchscreen) == true:
      actions.append(
        .log(
          .info,
          "\(entry.node.node) (\(entry.node.name)) belongs to \(seat) and is left out; Use=seat:\(seat) in [Devices] "
            + "would let it count"))
    case .taggedAs: actions.append(.log(.warning, text))
    case .foreignSeat, .noTouchscreen: break
    }
    return actions + settle()
  }

  private mutating func count(_ syspath: String, _ entry: Entry, _ basis: NodeVerdict.Basis) -> [Action] {
    switch entry.state {
    case .opening, .open, .disputed: return []
    case .refused(let candidate, _, shuts: _) where candidate.basis == basis: return []
    // Its rights may be other ones now.
    case .unopened(let candidate, let problem, let pause, due: _) where candidate.basis == basis:
      entries[syspath]?.state = .opening(candidate, pause: pause, problem: problem)
      return [.open(candidate)]
    case .new, .leftOut, .pending, .unreported, .unopened, .refused: break
    }
    let matching = sections.screens(of: entry.node.forRules(entry.udev))
    if matching.count > 1 { return dispute(syspath, entry, matching) }
    let screen = screenName(entry)
    let candidate = Candidate(
      syspath: syspath, node: entry.node.node, name: entry.node.name, identity: entry.node.identity,
      path: entry.udev?.idPath ?? entry.node.path, screen: screen, basis: basis,
      hardware: entry.udev?.idPath == nil ? nil : entry.hardware)
    var actions: [Action] = []
    // One that was shut under the same name stays shut until it is open.
    if shutScreens(entry.state) != [screen] { actions += leave(syspath) }
    names.assign(screen, to: syspath, hardware: entry.hardware)
    entries[syspath]?.state = .opening(candidate, pause: Self.firstPause, problem: nil)
    if basis.isDisputed {
      actions.append(
        .log(.warning, "\(entry.node.node) (\(entry.node.name)) counts as a touchscreen: \(basis.words)"))
    }
    return actions + [.open(candidate)]
  }

  private mutating func dispute(_ syspath: String, _ entry: Entry, _ screens: [String]) -> [Action] {
    let actions = leave(syspath)
    entries[syspath]?.state = .disputed(screens: screens)
    let why = ScreenRules.conflict("\(entry.node.node) (\(entry.node.name))", screens)
    return actions + [
      .log(.error, why), .shut(syspath: syspath, name: entry.node.name, screens: screens, why: why),
    ]
  }

  /// Refused nodes, after others came or went: one shuts its screen unless another node of the same hardware is open, or
  /// it has no absolute axes at all. A rule at the USB parent also tags keyboard nodes.
  private mutating func settle() -> [Action] {
    let refused = entries.filter { if case .refused = $0.value.state { true } else { false } }
    if refused.isEmpty { return [] }
    let open = Set(
      entries.values.filter { if case .open = $0.state { true } else { false } }.map(\.hardware))
    var actions: [Action] = []
    for (syspath, entry) in refused.sorted(by: { $0.key < $1.key }) {
      guard case .refused(let candidate, let refusal, shuts: let shut) = entry.state else { continue }
      let shuts = entry.node.capabilities?.axes.isEmpty != true && !open.contains(entry.hardware)
      if shuts == shut { continue }
      entries[syspath]?.state = .refused(candidate, refusal, shuts: shuts)
      let why = refusalText(candidate, refusal, shuts: shuts)
      actions.append(.log(.warning, why))
      actions.append(
        shuts
          ? .shut(syspath: syspath, name: candidate.name, screens: [candidate.screen], why: why)
          : .drop(syspath: syspath, screens: [candidate.screen]))
    }
    return actions
  }

  // MARK: Leaving

  /// What follows when a node leaves its state.
  private mutating func leave(_ syspath: String) -> [Action] {
    guard let state = entries[syspath]?.state else { return [] }
    names.release(syspath)
    let screens = shutScreens(state)
    let dropped: [Action] = screens.isEmpty ? [] : [.drop(syspath: syspath, screens: screens)]
    switch state {
    case .opening, .open: return dropped + [.close(syspath: syspath)]
    case .new, .leftOut, .pending, .unreported, .disputed, .unopened, .refused: return dropped
    }
  }

  /// The screens that a node in this state keeps shut by an action `shut`.
  private func shutScreens(_ state: State) -> [String] {
    switch state {
    case .unreported(let screen): [screen]
    case .disputed(let screens): screens
    case .unopened(let candidate, problem: _, pause: _, due: _), .refused(let candidate, _, shuts: true),
      .opening(let candidate, pause: _, problem: .some):
      [candidate.screen]
    case .new, .leftOut, .pending, .opening, .open, .refused: []
    }
  }

  /// Nodes of that path which are other devices are gone, except those that are open.
  private mutating func replace(_ node: String, by syspath: String?) -> [Action] {
    var actions: [Action] = []
    let others = entries.filter { $0.value.node.node == node && $0.key != syspath }
    for (id, entry) in others.sorted(by: { $0.key < $1.key }) {
      if case .open = entry.state { continue }
      actions += leave(id)
      entries[id] = nil
    }
    return actions
  }

  // MARK: Names

  private func screenName(_ entry: Entry) -> String {
    let matching = sections.screens(of: entry.node.forRules(entry.udev))
    if let named = matching.first ?? entry.udev?.screen, ScreenRules.isName(named) { return named }
    return names.name(for: entry.node.name, hardware: entry.hardware, syspath: entry.node.syspath)
  }

  /// So that the numbers of names do not depend on the order of udev's reports.
  private mutating func nameBeforeReport(_ syspath: String) {
    guard let entry = entries[syspath], entry.state == .new else { return }
    switch NodeVerdict(entry.node, entry.udev, rules: rules, isOverdue: true) {
    case .leftOut: break
    case .counts, .pending, .unreported: names.assign(screenName(entry), to: syspath, hardware: entry.hardware)
    }
  }
}
