import Recordings
import Testing
import Timeline
import TouchModel
import TouchReading

@testable import TouchDevices

@Suite("Playing a recording")
struct ReplaySourceTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// A finger that lands at 0 ms and lifts at 100 ms of the recording.
  private func source() throws -> ReplaySource {
    var device = RecordedDevice(name: "Panel")
    device.keys = [EventCode.buttonTouch]
    for code in [EventCode.slot, EventCode.positionX, EventCode.positionY, EventCode.trackingID] {
      device.axes[code] = RecordedDevice.AxisInfo(minimum: 0, maximum: 9)
    }
    let landed = Instant(nanoseconds: 5_000_000_000)
    let events = [(landed, Int32(7)), (landed + .milliseconds(100), -1)].flatMap { time, id in
      [
        InputEvent(time: time, type: EventType.abs, code: EventCode.trackingID, value: id),
        InputEvent(time: time, type: EventType.syn, code: EventCode.synReport, value: 0),
      ]
    }
    return try ReplaySource(Recording(device: device, events: events), start: start)
  }

  @Test("the first event is due at the start, whatever its stamp was")
  func first() throws {
    let source = try source()
    #expect(source.length == .milliseconds(100))
    var reader = DeviceReader(profile: source.profile)
    _ = reader.timePassed(source, at: start)
    #expect(
      reader.readable(source, at: start) == [.change(.began(Contact(slot: 0, id: 7), at: start))])
  }

  @Test("a frame is read when it is due, and with the time at which it is due")
  func later() throws {
    let source = try source()
    var reader = DeviceReader(profile: source.profile)
    _ = reader.timePassed(source, at: start)
    _ = reader.readable(source, at: start)
    let lift = start + .milliseconds(100)
    #expect(reader.readable(source, at: lift - .milliseconds(1)) == [])
    #expect(
      reader.readable(source, at: lift + .milliseconds(3))
        == [.change(.ended(Contact(slot: 0, id: 7), .lifted, at: lift))])
  }

  @Test("one read returns at most one frame")
  func frames() throws {
    let source = try source()
    let late = start + .seconds(1)
    for _ in 0..<2 {
      guard case .events(let events) = source.read(limit: 100, at: late) else {
        Issue.record("gone")
        return
      }
      #expect(events.count == 2)
    }
    #expect(source.read(limit: 100, at: late) == .events([]))
  }
}
