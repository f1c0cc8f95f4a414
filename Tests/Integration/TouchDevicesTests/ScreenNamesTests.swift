import Gating
import Testing

@testable import TouchDevices

@Suite("Names of screens")
struct ScreenNamesTests {
  private func id(_ path: String) -> DeviceID { DeviceID(path) }

  @Test("a screen is named after its device")
  func device() {
    #expect(ScreenNames(reserved: []).name(for: "Panel", hardware: "usb-1") == "Panel")
  }

  @Test("all nodes of one piece of hardware share a name")
  func siblings() {
    var names = ScreenNames(reserved: [])
    names.assign("Lobby", to: id("a"), hardware: "usb-1")
    #expect(names.name(for: "Panel", hardware: "usb-1") == "Lobby")
  }

  @Test("other hardware of the same name gets a number, and the lowest that is free")
  func numbers() {
    var names = ScreenNames(reserved: [])
    names.assign("Panel", to: id("a"), hardware: "usb-1")
    names.assign("Panel 3", to: id("b"), hardware: "usb-2")
    #expect(names.name(for: "Panel", hardware: "usb-3") == "Panel 2")
  }

  @Test("the name of a section of the configuration is not given to other hardware")
  func reserved() {
    #expect(ScreenNames(reserved: ["Panel"]).name(for: "Panel", hardware: "usb-1") == "Panel 2")
  }

  @Test("the name of a device that is gone is free again")
  func released() {
    var names = ScreenNames(reserved: [])
    names.assign("Panel", to: id("a"), hardware: "usb-1")
    names.release(id("a"))
    #expect(names.name(for: "Panel", hardware: "usb-2") == "Panel")
  }
}
