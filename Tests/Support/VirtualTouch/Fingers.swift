import Recordings
import TouchModel

/// One event without a timestamp, which the kernel adds.
public typealias RawEvent = (type: UInt16, code: UInt16, value: Int32)

/// The fingers on a screen, and the events that a device sends for them. Pure: no kernel is involved.
///
/// Like hid-multitouch, it sends the position of the oldest finger as ABS_X/ABS_Y too, and BTN_TOUCH with the first and
/// the last finger.
struct Fingers {
  private enum Sending {
    case slots
    case typeA
    case single
  }

  private struct Finger {
    var age: Int
    var x: Int32
    var y: Int32
  }

  /// Slots 0..<slotCount exist; on devices without slots they are only names of fingers.
  let slotCount: Int

  private let device: RecordedDevice
  private let kind: Sending
  private var fingers: [Int: Finger] = [:]
  private var landed = 0
  private var pending: [RawEvent] = []
  private var isTouched = false

  init(_ device: RecordedDevice) {
    self.device = device
    if let slot = device.axes[EventCode.slot] {
      kind = .slots
      slotCount = Int(slot.maximum) + 1
    } else {
      kind = device.axes[EventCode.positionX] == nil ? .single : .typeA
      slotCount = kind == .single ? 1 : 10
    }
  }

  func isDown(_ slot: Int) -> Bool {
    fingers[slot] != nil
  }

  /// Where a finger is, 0...1 of both ranges; nil when it is not down.
  func position(_ slot: Int) -> (x: Double, y: Double)? {
    guard let finger = fingers[slot] else { return nil }
    return (fraction(finger.x, axes.x), fraction(finger.y, axes.y))
  }

  /// A finger lands, with a new tracking id. If one is down already, the new id replaces its id in place.
  mutating func down(_ slot: Int, x: Double, y: Double) {
    precondition((0..<slotCount).contains(slot), "slot \(slot) of \(device.name), which has \(slotCount)")
    fingers[slot] = Finger(age: landed, x: place(x, axes.x), y: place(y, axes.y))
    if kind == .slots {
      pending.append((EventType.abs, EventCode.slot, Int32(slot)))
      pending.append((EventType.abs, EventCode.trackingID, Int32(landed & 0xffff)))
      append(EventCode.toolType, ToolType.finger)
      append(EventCode.distance, 0)
      appendPosition(slot)
    }
    landed += 1
  }

  mutating func move(_ slot: Int, x: Double, y: Double) {
    precondition(isDown(slot), "slot \(slot) of \(device.name) has no finger to move")
    let (newX, newY) = (place(x, axes.x), place(y, axes.y))
    fingers[slot]?.x = newX
    fingers[slot]?.y = newY
    if kind == .slots {
      pending.append((EventType.abs, EventCode.slot, Int32(slot)))
      appendPosition(slot)
    }
  }

  mutating func up(_ slot: Int) {
    precondition(isDown(slot), "slot \(slot) of \(device.name) has no finger to lift")
    fingers[slot] = nil
    if kind == .slots {
      pending.append((EventType.abs, EventCode.slot, Int32(slot)))
      pending.append((EventType.abs, EventCode.trackingID, -1))
    }
  }

  /// Further events, before the end of the frame.
  mutating func add(_ events: [RawEvent]) {
    pending += events
  }

  /// All that changed since the last frame, ended by SYN_REPORT.
  mutating func takeFrame() -> [RawEvent] {
    if kind == .typeA {
      for (slot, _) in fingers.sorted(by: { $0.key < $1.key }) {
        appendPosition(slot)
        pending.append((EventType.syn, EventCode.synMTReport, 0))
      }
      if fingers.isEmpty { pending.append((EventType.syn, EventCode.synMTReport, 0)) }
    }
    if isTouched == fingers.isEmpty {
      isTouched = !fingers.isEmpty
      if device.keys.contains(EventCode.buttonTouch) {
        pending.append((EventType.key, EventCode.buttonTouch, isTouched ? 1 : 0))
      }
    }
    if let oldest = fingers.values.min(by: { $0.age < $1.age }) {
      append(EventCode.absX, oldest.x)
      append(EventCode.absY, oldest.y)
    }
    pending.append((EventType.syn, EventCode.synReport, 0))
    defer { pending = [] }
    return pending
  }

  private mutating func appendPosition(_ slot: Int) {
    guard let finger = fingers[slot] else { return }
    append(EventCode.positionX, finger.x)
    append(EventCode.positionY, finger.y)
  }

  private mutating func append(_ axis: UInt16, _ value: Int32) {
    if device.axes[axis] != nil { pending.append((EventType.abs, axis, value)) }
  }

  // MARK: ranges

  private var axes: (x: UInt16, y: UInt16) {
    kind == .single ? (EventCode.absX, EventCode.absY) : (EventCode.positionX, EventCode.positionY)
  }

  private func place(_ fraction: Double, _ axis: UInt16) -> Int32 {
    guard let range = device.axes[axis] else { return 0 }
    let width = Double(range.maximum) - Double(range.minimum)
    return Int32((Double(range.minimum) + min(max(fraction, 0), 1) * width).rounded())
  }

  private func fraction(_ value: Int32, _ axis: UInt16) -> Double {
    guard let range = device.axes[axis], range.maximum > range.minimum else { return 0 }
    return (Double(value) - Double(range.minimum)) / (Double(range.maximum) - Double(range.minimum))
  }
}
