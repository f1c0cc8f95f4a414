import Haptics
import Testing

@Suite("Which device vibrates")
struct MotorChoiceTests {
  func candidate(_ name: String, path: String = "", codes: Set<UInt16> = [0x50]) -> MotorChoice.Candidate {
    MotorChoice.Candidate(id: "/sys/\(name)", node: "/dev/input/\(name)", name: name, path: path, codes: codes)
  }

  func reason(_ choice: MotorChoice) -> String { if case .none(let reason) = choice { reason } else { "" } }

  @Test("the only one is taken; of several the one on the touchscreen's hardware; else none, and they are named")
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

  @Test("a device that is not spoken to is never taken, and the reason says so; it does not make one of two")
  func unspoken() {
    let wheel = candidate("wheel", codes: [0x52, 0x53])
    let motor = candidate("motor")
    #expect(reason(MotorChoice([wheel], touchscreens: [], wanted: nil)).contains("neither FF_RUMBLE nor FF_PERIODIC"))
    #expect(MotorChoice([wheel, motor], touchscreens: [], wanted: nil) == .chosen(motor))
  }

  @Test("what the configuration names is taken, whatever else is there, and nothing in its place")
  func named() {
    let one = candidate("one", path: "usb-1")
    let two = candidate("two", path: "usb-2")
    #expect(MotorChoice([one, two], touchscreens: ["usb-2"], wanted: { $0.name == "one" }) == .chosen(one))
    let missing = reason(MotorChoice([one], touchscreens: [], wanted: { $0.name == "x" }))
    #expect(missing == "no device matches Device=")
    #expect(reason(MotorChoice([one, two], touchscreens: [], wanted: { _ in true })).contains("several"))
  }
}
