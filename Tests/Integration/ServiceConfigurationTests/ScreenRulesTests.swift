import DeviceRules
import Gating
import Testing

@testable import ServiceConfiguration

@Suite("[Screen NAME] and missing screens")
struct ScreenRulesTests {
  private func device(_ name: String, _ path: String = "") -> DeviceRule.Device {
    DeviceRule.Device(name: name, identity: "222a:001c", path: path, seat: "seat0")
  }

  private func read(_ text: String) throws -> Configuration {
    let folder = try Root()
    try folder.write("etc/touchgate.conf", text)
    return try folder.read()
  }

  private func problems(_ text: String) throws -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let error as ConfigurationError {
      return error.problems.map { "\($0.line ?? 0): \($0.message)" }
    }
  }

  @Test("a device belongs to each screen whose section matches it: none, one or two")
  func assignment() throws {
    let rules = try read(
      """
      [Screen lobby]
      Match=name:ILITEK*
      Match=path:pci-1
      [Screen till 2]
      Match=id:222A:001c
      [Gate]
      RequireScreens=lobby "till 2"
      OnNoScreen=hold
      MissingScreenGrace=5s
      """)
    #expect(rules.screens.names == ["lobby", "till 2"])
    #expect(rules.requiredScreens == ["lobby", "till 2"])
    #expect(rules.onNoScreen == .hold && rules.missingScreenGrace == .seconds(5))
    var other = device("other", "pci-1")
    #expect(rules.screens.screens(of: other) == ["lobby", "till 2"])
    other.identity = "0000:0000"
    #expect(rules.screens.screens(of: other) == ["lobby"])
    other.path = ""
    #expect(rules.screens.screens(of: other) == [])
    #expect(rules.screens.problems(with: [other]).count == 2, "two sections match nothing")
    let both = rules.screens.problems(with: [device("ILITEK 3000")])
    #expect(both.count == 1 && both[0].contains("[Screen lobby] and [Screen till 2]"))
  }

  @Test("a problem with a section is reported with its line")
  func wrong() throws {
    #expect(try problems("[Screen lobby]\nMatch=nonsense").first?.hasPrefix("2: Match=") == true)
    #expect(try problems("[Screen lobby]\n").first?.contains("has no Match=") == true)
    #expect(try problems("[Screen lobby]\nMatsch=name:x").contains { $0.contains("did you mean Match=?") })
    let long = String(repeating: "x", count: 65)
    #expect(try problems("[Screen \(long)]\nMatch=name:x").first?.contains("1 to 64 bytes") == true)
    #expect(try problems("[Gate]\nRequireScreens=\"a").first?.contains("not closed") == true)
    #expect(try problems("[Gate]\nOnNoScreen=maybe").first?.contains("apply or hold") == true)
    #expect(try problems("[Screens lobby]\nMatch=name:x").first?.contains("unknown section") == true)
  }

  @Test("a later file replaces a screen as a whole")
  func replaced() throws {
    let folder = try Root()
    try folder.write("etc/touchgate.conf", "[Screen lobby]\nMatch=name:a\n")
    try folder.write("etc/touchgate.conf.d/50.conf", "[Screen lobby]\nMatch=name:b\n")
    let rules = try folder.read().screens
    #expect(rules.screens(of: device("a")) == [] && rules.screens(of: device("b")) == ["lobby"])
  }
}
