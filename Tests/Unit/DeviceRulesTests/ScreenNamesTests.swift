import Testing
import TouchModel

@testable import DeviceRules

@Suite("Names of screens")
struct ScreenNamesTests {
  @Test("a screen is named after its device")
  func device() {
    #expect(ScreenNames(reserved: []).name(for: "Panel", hardware: "usb-1", syspath: "a") == "Panel")
  }

  @Test("all nodes of one piece of hardware share a name")
  func siblings() {
    var names = ScreenNames(reserved: [])
    names.assign("Lobby", to: "a", hardware: "usb-1")
    #expect(names.name(for: "Panel", hardware: "usb-1", syspath: "b") == "Lobby")
  }

  @Test("other hardware of the same name gets a number, and the lowest that is free")
  func numbers() {
    var names = ScreenNames(reserved: [])
    names.assign("Panel", to: "a", hardware: "usb-1")
    names.assign("Panel 3", to: "b", hardware: "usb-2")
    #expect(names.name(for: "Panel", hardware: "usb-3", syspath: "c") == "Panel 2")
  }

  @Test("the name of a section of the configuration is not given to other hardware")
  func reserved() {
    #expect(ScreenNames(reserved: ["Panel"]).name(for: "Panel", hardware: "usb-1", syspath: "a") == "Panel 2")
  }

  @Test("the name of a device that is gone is free again")
  func released() {
    var names = ScreenNames(reserved: [])
    names.assign("Panel", to: "a", hardware: "usb-1")
    names.release("a")
    #expect(names.name(for: "Panel", hardware: "usb-2", syspath: "b") == "Panel")
  }

  @Test("hardware gets the name again that it had before, in any order, and nobody else gets that name")
  func remembered() {
    let former = ["usb-1": "Panel", "usb-2": "Panel 2"]
    for order in [["usb-1", "usb-2", "usb-3"], ["usb-3", "usb-2", "usb-1"], ["usb-2", "usb-3", "usb-1"]] {
      var names = ScreenNames(reserved: [], remembered: former)
      var given: [String: String] = [:]
      for hardware in order {
        given[hardware] = names.name(for: "Panel", hardware: hardware, syspath: hardware)
        names.assign(given[hardware] ?? "", to: hardware, hardware: hardware)
      }
      #expect(given == ["usb-1": "Panel", "usb-2": "Panel 2", "usb-3": "Panel 3"])
    }
  }

  @Test("hardware gets its former name again, with its number, although a lower one is free")
  func formerNumber() {
    let names = ScreenNames(reserved: [], remembered: ["usb-1": "Panel 2"])
    #expect(names.name(for: "Panel", hardware: "usb-1", syspath: "a") == "Panel 2")
  }

  @Test("hardware does not get its former name while other hardware has it")
  func formerNameTaken() {
    var names = ScreenNames(reserved: [], remembered: ["usb-1": "Panel"])
    names.assign("Panel", to: "b", hardware: "usb-2")
    #expect(names.name(for: "Panel", hardware: "usb-1", syspath: "a") == "Panel 2")
  }

  @Test("a long name is cut to the length of a screen's name, with its number")
  func long() {
    let device = String(repeating: "ä", count: 100)
    var names = ScreenNames(reserved: [])
    let first = names.name(for: device, hardware: "usb-1", syspath: "a")
    names.assign(first, to: "a", hardware: "usb-1")
    let second = names.name(for: device, hardware: "usb-2", syspath: "b")
    #expect(first == String(repeating: "ä", count: 32) && second.hasSuffix("ä 2"))
    #expect(ScreenRules.isName(first) && ScreenRules.isName(second))
  }

  @Test("two nodes of one name get their numbers by their places on the bus, in whatever order udev reports them")
  func order() {
    let nodes = [panel(9, path: "/devices/usb/1-9"), panel(5, path: "/devices/usb/1-10")]
    func report(_ number: Int) -> UdevReport { UdevReport(tags: [.touchscreen], idPath: "usb-\(number)") }
    for order in [[0, 1], [1, 0]] {
      var bench = DiscoveryBench()
      bench.find(order.map { (nodes[$0], nil) })
      for index in order { bench.find(nodes[index], report(index)) }
      #expect(bench.adopted == ["/dev/input/event9": "Panel", "/dev/input/event5": "Panel 2"])
    }
  }

  @Test(
    "names of devices are printable and never empty",
    arguments: [
      ("Panel", "Panel"), ("", "unnamed device"), ("\n", "unnamed device"), ("  ", "unnamed device"),
      (" A\nB ", "A?B"), ("\u{1b}[2JPanel", "?[2JPanel"), ("Pan\u{fffd}el", "Pan\u{fffd}el"),
      ("\u{202e}lenaP", "?lenaP"), ("A\u{2028}B", "A?B"), ("Pänel ☃", "Pänel ☃"),
    ])
  func printable(_ name: String, _ expected: String) {
    #expect(InputNode.printable(name) == expected)
    #expect(ScreenRules.isName(InputNode.printable(name)))
  }
}
