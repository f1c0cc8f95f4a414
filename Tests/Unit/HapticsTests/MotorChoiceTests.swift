import Haptics
import Testing

@Suite("The choice of the device that vibrates")
struct MotorChoiceTests {
  func candidate(_ name: String, path: String = "", codes: Set<UInt16> = [0x50]) -> MotorChoice.Candidate {
    MotorChoice.Candidate(id: "/sys/\(name)", node: "/dev/input/\(name)", name: name, path: path, codes: codes)
  }

  func reason(_ choice: MotorChoice) -> String { if case .none(let reason) = choice { reason } else { "" } }

  @Test("the only device is used, or the one on the touchscreen's hardware; otherwise none, and the reason lists them")
  func rules() {
    let one = candidate("one", path: "usb-1")
    let two = candidate("two", path: "usb-2")
    #expect(MotorChoice([one], touchscreens: [], wanted: nil) == .chosen(one))
    #expect(MotorChoice([one, two], touchscreens: ["usb-2"], wanted: nil) == .chosen(two))
    #expect(MotorChoice([two, one], touchscreens: ["usb-2"], wanted: nil) == .chosen(two))
    let several = reason(MotorChoice([two, one], touchscreens: ["usb-3"], wanted: nil))
    #expect(several.contains("one (/dev/input/one), two (/dev/input/two)") && several.contains("Device="))
    #expect(reason(MotorChoice([], touchscreens: [], wanted: nil)) == "no device has force feedback")
  }

  @Test("an unsupported device is never used and does not count, and the reason names it")
  func unspoken() {
    let wheel = candidate("wheel", codes: [0x52, 0x53])
    let motor = candidate("motor")
    #expect(reason(MotorChoice([wheel], touchscreens: [], wanted: nil)).contains("neither FF_RUMBLE nor FF_PERIODIC"))
    #expect(MotorChoice([wheel, motor], touchscreens: [], wanted: nil) == .chosen(motor))
  }

  @Test("a configured device is used whatever else is present, and nothing replaces it if it is missing")
  func named() {
    let one = candidate("one", path: "usb-1")
    let two = candidate("two", path: "usb-2")
    #expect(MotorChoice([one, two], touchscreens: ["usb-2"], wanted: { $0.name == "one" }) == .chosen(one))
    let missing = reason(MotorChoice([one], touchscreens: [], wanted: { $0.name == "x" }))
    #expect(missing == "no device matches Device= in [Haptics]")
    #expect(reason(MotorChoice([one, two], touchscreens: [], wanted: { _ in true })).contains("several"))
  }
}
