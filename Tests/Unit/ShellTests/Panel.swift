import Foundation
import Recordings
import Timeline
import TouchModel

/// A recording of one screen, `Panel`, in a file of its own: nobody touches it, or a finger rests on it from the
/// beginning.
enum Panel {
  static func write(_ folder: String, touched: Bool) throws -> String {
    var device = RecordedDevice(name: "Panel")
    device.keys = [EventCode.buttonTouch]
    for code in [EventCode.slot, EventCode.positionX, EventCode.positionY, EventCode.trackingID] {
      device.axes[code] = RecordedDevice.AxisInfo(minimum: 0, maximum: 9)
    }
    let events = [(EventType.abs, EventCode.trackingID, Int32(7)), (EventType.syn, EventCode.synReport, 0)]
    let recording = Recording(
      device: device,
      events: touched ? events.map { InputEvent(time: at(0), type: $0.0, code: $0.1, value: $0.2) } : [])
    let path = "\(folder)/panel.evemu"
    try recording.text().write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}
