import DeviceRules
import Testing
import UpdateStore

@testable import Service

@Suite("The memory of screens")
struct ScreenMemoryTests {
  private func stored(_ name: String, boots: Int, boot: String = "a", hardware: String? = nil) -> StoredScreen {
    StoredScreen(name: name, boots: boots, boot: boot, hardware: hardware)
  }

  @Test("a screen that was read in one boot is not awaited, however often the service was started; in two it is")
  func twoBoots() {
    var first = ScreenMemory([], boot: "a")
    first.read("Panel", hardware: "usb-1 222a:0001")
    #expect(first.awaited == [] && first.takeChanges()?.screens.count == 1)
    first.read("Panel", hardware: nil)
    #expect(first.takeChanges() == nil, "nothing is stored twice")
    var restarted = ScreenMemory(Array(first.screens.values), boot: "a")
    restarted.read("Panel", hardware: "usb-1 222a:0001")
    #expect(restarted.awaited == [])
    var second = ScreenMemory(Array(restarted.screens.values), boot: "b")
    #expect(second.awaited == [])
    second.read("Panel", hardware: "usb-1 222a:0001")
    #expect(second.awaited == ["Panel"] && second.formerNames == ["usb-1 222a:0001": "Panel"])
    let later = ScreenMemory(Array(second.screens.values), boot: "c")
    #expect(later.awaited == ["Panel"])
  }

  @Test("a screen that Ignore= excludes is forgotten, although it is absent: by name, id or path")
  func ignored() throws {
    for text in ["name:Pan*", "id:222a:0001", "path:usb 1"] {
      var memory = ScreenMemory(
        [stored("Panel", boots: 2, hardware: "usb 1 222a:0001"), stored("Door", boots: 2)], boot: "b")
      memory.forgetIgnored([try #require(DeviceRule(text, use: false))])
      #expect(memory.awaited == ["Door"], "\(text)")
      #expect(memory.takeChanges()?.forget == ["Panel"])
    }
  }

  @Test("at most 64 screens that were read once are stored")
  func bounded() {
    var memory = ScreenMemory([stored("Panel", boots: 2)], boot: "b")
    for number in 0..<1000 { memory.read("Guest \(number)", hardware: nil) }
    #expect(memory.screens.count == 65)
    memory.forget("Guest 0")
    memory.read("Door", hardware: nil)
    #expect(memory.screens["Door"] != nil)
  }
}
