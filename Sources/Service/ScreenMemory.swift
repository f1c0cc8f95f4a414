import DeviceRules
import UpdateStore

/// The screens that the machine has had. A screen is missed if it was read in two boots: one that was plugged in once is
/// not.
struct ScreenMemory {
  /// Most screens that were read in one boot only; further ones are not stored.
  static let mostNew = 64

  private(set) var screens: [String: StoredScreen]
  private let boot: String
  /// Not stored yet.
  private var changed: Set<String> = []
  private var removed: Set<String> = []

  /// `boot`: the present one.
  init(_ stored: [StoredScreen], boot: String) {
    screens = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    self.boot = boot
  }

  /// Those that are missing if they are absent.
  var awaited: Set<String> { Set(screens.values.filter { $0.boots > 1 }.map(\.name)) }

  /// The name of the screen that hardware had before.
  var formerNames: [String: String] {
    Dictionary(
      screens.values.sorted { $0.name < $1.name }.compactMap { screen in screen.hardware.map { ($0, screen.name) } },
      uniquingKeysWith: { one, _ in one })
  }

  /// The state of this screen was read.
  mutating func read(_ name: String, hardware: String?) {
    let known = screens[name]
    if known == nil && screens.values.count(where: { $0.boots == 1 }) >= Self.mostNew { return }
    var screen = known ?? StoredScreen(name: name, boots: 1, boot: boot, hardware: hardware)
    if screen.boot != boot { screen.boots = 2 }
    screen.boot = boot
    screen.hardware = hardware ?? screen.hardware
    if screen == known { return }
    screens[name] = screen
    changed.insert(name)
    removed.remove(name)
  }

  mutating func forget(_ name: String) {
    if screens.removeValue(forKey: name) == nil { return }
    changed.remove(name)
    removed.insert(name)
  }

  /// Screens that `Ignore=` excludes, whether they are present or not.
  mutating func forgetIgnored(_ rules: [DeviceRule]) {
    for screen in screens.values {
      let words = (screen.hardware ?? "").split(separator: " ")
      let device = DeviceRule.Device(
        name: screen.name, identity: words.count > 1 ? String(words[words.count - 1]) : "",
        path: words.dropLast().joined(separator: " "), seat: "seat0")
      if DeviceRule.decide(rules, on: device) == .ignored { forget(screen.name) }
    }
  }

  /// What is to be stored; nil: nothing.
  mutating func takeChanges() -> (screens: [StoredScreen], forget: Set<String>)? {
    if changed.isEmpty && removed.isEmpty { return nil }
    defer { (changed, removed) = ([], []) }
    return (changed.sorted().compactMap { screens[$0] }, removed)
  }
}
