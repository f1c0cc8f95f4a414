import Haptics
import Testing

@Suite("The choice of the device that vibrates: edge cases")
struct MotorEdgeTests {
  private func candidate(_ id: String, path: String, _ codes: Set<UInt16> = [0x50]) -> MotorChoice.Candidate {
    MotorChoice.Candidate(id: id, node: "/dev/input/\(id)", name: id, path: path, codes: codes)
  }

  @Test("a device that reports room for 0 effects is treated as having room for one")
  func noSlots() throws {
    #expect(try #require(MotorDescription(codes: [0x50], slots: 0)).slots == 1)
  }

  @Test("on a touchscreen's hardware, a device without usable effects does not count")
  func unusableBesideTouchscreen() {
    let motor = candidate("motor", path: "usb-1")
    let all = [candidate("wheel", path: "usb-1", [0x52]), motor, candidate("pad", path: "usb-2")]
    #expect(MotorChoice(all, touchscreens: ["usb-1"], wanted: nil) == .chosen(motor))
  }

  @Test("of two devices on the hardware of touchscreens none is chosen")
  func twoBesideTouchscreens() {
    let all = [candidate("left", path: "usb-1"), candidate("right", path: "usb-2")]
    guard case .none = MotorChoice(all, touchscreens: ["usb-1", "usb-2"], wanted: nil) else {
      Issue.record("one was chosen")
      return
    }
  }
}
