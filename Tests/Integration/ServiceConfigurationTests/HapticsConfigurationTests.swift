import DeviceRules
import Haptics
import ServiceConfiguration
import Testing
import Timeline

@Suite("Configuration of haptics")
struct HapticsConfigurationTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  private func settings(_ lines: String) throws -> HapticsSettings {
    try root.write("etc/touchgate.conf", "[Haptics]\n\(lines)\n")
    return try root.read().haptics
  }

  @Test("the defaults are automatic choice of the device, 100 ms, full strength, the table of motor")
  func defaults() throws {
    let settings = try settings("")
    #expect(settings == HapticsSettings())
    #expect(settings.device == .automatic && settings.lead == .milliseconds(100) && settings.strength == 1)
    #expect(settings.table == PatternTable(.motor))
  }

  @Test("all keys in any order are read; the pattern of a kind overrides the profile")
  func all() throws {
    let settings = try settings(
      "Success=20@0.5 g30 25@1\nDevice=name:drv*\nLeadMs=0\nStrength=0.25\nProfile=crisp\nSelection=15@0.1")
    var table = PatternTable(.crisp)
    table[.success] = try Pattern("20@0.5 g30 25@1")
    table[.selection] = try Pattern("15@0.1")
    #expect(settings.table == table)
    #expect(settings.device == .named(try #require(DeviceRule("name:drv*", use: true))))
    #expect(settings.lead == .zero && settings.strength == 0.25)
    #expect(try self.settings("Device=none").device == .none)
  }

  @Test(
    "an invalid value is refused with key and line",
    arguments: [
      ("Strength=1.01", "Strength= '1.01' is not a number from 0 to 1"), ("Strength=-0.1", "Strength= '-0.1'"),
      ("Strength=nan", "Strength= 'nan'"), ("Strength=", "Strength= ''"), ("LeadMs=101", "LeadMs= '101'"),
      ("LeadMs=-1", "LeadMs= '-1'"), ("Profile=soft", "Profile= 'soft' is invalid; use motor or crisp"),
      ("Device=drv260x", "Device= 'drv260x' is not a device pattern"),
      ("Heavy=0@1", "Heavy= the pulse '0@1' must have"),
      ("Light=501@1", "Light= the pulse '501@1' must have 10 to 500 ms"), ("Medium=30@2", "Medium= the strength of"),
      ("Error=30@1 g0 30@1", "Error= the gap 'g0'"), ("Warning=", "Warning= is empty"),
      ("Sucess=30@1", "unknown key 'Sucess' in [Haptics]"), ("Sucess=30@1", "did you mean Success=?"),
    ])
  func refused(_ line: String, _ words: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try settings(line) }
    let problem = try #require(error?.problems.first)
    #expect(problem.line == 2 && problem.message.contains(words), "\(problem)")
  }

  @Test("a handler names its kinds; another word is refused with a suggestion and the seven kinds")
  func handlers() throws {
    try root.write(
      "etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nFeedbackOnApply=success\nFeedbackOnFail=error\n")
    let handler = try #require(try root.read().handlers["h"])
    #expect(handler.feedbackOnApply == .success && handler.feedbackOnFail == .error)
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\n")
    #expect(try root.read().handlers["h"]?.feedbackOnApply == nil)

    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nFeedbackOnApply=sucess\n")
    let error = #expect(throws: ConfigurationError.self) { try root.read() }
    let message = error?.problems.first?.message ?? ""
    #expect(message.hasPrefix("FeedbackOnApply= 'sucess' is invalid; "))
    #expect(message.contains("did you mean success? Use success, warning, error, light, medium, heavy or selection"))
  }
}
