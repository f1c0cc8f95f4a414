import Testing
import Timeline
import TouchModel

@Suite("Type A just opened")
struct TypeATests {
  @Test("without BTN_TOUCH nothing is known until it sends a frame, or is silent for half a second")
  func unheard() {
    var device = DeviceUnderTest(.typeA)
    #expect(device.open() == [.becameUncertain(.unheard, at: device.now)])
    #expect(device.tracker.verdict == .uncertain)
    device.pass(.milliseconds(490))
    #expect(device.tracker.verdict == .uncertain)
    device.pass(.milliseconds(20))
    #expect(device.tracker.verdict == .idle)

    var touched = DeviceUnderTest(.typeA)
    _ = touched.open()
    let changes = touched.send(.x(1), .group, .report)
    #expect(changes == [.began(finger(0, nil), at: touched.now), .becameCertain(at: touched.now)])
  }

  @Test("BTN_TOUCH shows at once whether somebody is there")
  func button() {
    var device = DeviceUnderTest(.typeA)
    device.sendUnseen(.touch(0))
    #expect(device.open() == [])
    #expect(device.tracker.verdict == .idle)
    device.sendUnseen(.touch(1))
    #expect(device.open() == [.began(.slotless, at: device.now)])
  }

  @Test("if events are lost while it is opened, it is unknown until half a second of silence")
  func restlessAtOpen() {
    var device = DeviceUnderTest(.typeA)
    device.sendUnseen(.touch(0))
    device.send(.dropped, .report)
    #expect(device.open() == [])
    #expect(device.tracker.verdict == .uncertain)
    #expect(device.pass(.milliseconds(510)) == [.becameCertain(at: device.now - .milliseconds(10))])
  }
}
