import DeviceRules
import ServiceConfiguration
import Testing

@Suite("Rules about devices")
struct DeviceRuleTests {
  private func decide(_ lines: [String], seat: String = "seat0") throws -> DeviceRule.Decision {
    let rules = try lines.map { line in
      let use = line.hasPrefix("Use=")
      return try #require(DeviceRule(String(line.drop { $0 != "=" }.dropFirst()), use: use), "\(line)")
    }
    let device = DeviceRule.Device(name: "Table panel", identity: "222a:001c", path: "pci-0000:00:14.0", seat: seat)
    return DeviceRule.decide(rules, on: device)
  }

  @Test("without a matching rule udev decides about devices of seat0, and devices of other seats are ignored")
  func noRule() throws {
    #expect(try decide([]) == .asTagged)
    #expect(try decide([], seat: "seat1") == .foreignSeat)
    #expect(try decide(["Use=name:Till*", "Ignore=seat:seat2", "Use=seat:seat3"], seat: "seat1") == .foreignSeat)
  }

  @Test("for a used seat udev decides; an ignored seat is ignored, also seat0")
  func seats() throws {
    #expect(try decide(["Use=seat:seat1"], seat: "seat1") == .asTagged)
    #expect(try decide(["Use=seat:*"], seat: "seat-9") == .asTagged)
    #expect(try decide(["Ignore=seat:seat0"]) == .ignored)
    #expect(try decide(["Ignore=seat:seat1"]) == .asTagged)
  }

  @Test("the last rule that matches decides, whatever it matches by")
  func lastDecides() throws {
    #expect(try decide(["Use=name:Table*"], seat: "seat1") == .touchscreen)
    #expect(try decide(["Use=name:Table*", "Ignore=seat:seat1"], seat: "seat1") == .ignored)
    #expect(try decide(["Ignore=seat:seat1", "Use=id:222A:001c"], seat: "seat1") == .touchscreen)
    #expect(try decide(["Use=path:pci-*", "Ignore=name:*panel"]) == .ignored)
  }

  @Test("a rule that cannot match is refused", arguments: ["seat:", "seat", "seats:seat1", ":seat1", "id:222a"])
  func malformed(text: String) {
    #expect(DeviceRule(text, use: true) == nil)
  }
}
