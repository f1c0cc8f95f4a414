import Evdev
import Timeline
import TouchModel
import TouchReading

/// The kernel's side of one device: its slot table, and the buffer of one reader.
///
/// As in drivers/input/input.c and evdev.c: an event changes the table when it is written, and reaches the reader with the
/// next SYN_REPORT. A buffer that is full keeps SYN_DROPPED and the newest event. Under a foreign grab the table still
/// changes and the reader receives nothing.
final class SimulatedKernel: FrameSource {
  struct Shape: Equatable {
    /// The number of events in the reader's buffer; the kernel's least is 64.
    var capacity = 64
    var layout = EventDecoder.Layout.time64
    /// The device has ABS_MT_TOOL_TYPE and ABS_MT_DISTANCE.
    var hasToolAxes = true
    var hasTouchButton = true
    var hasAutorepeat = false
    /// EVIOCSMASK works (kernel 4.4).
    var masks = true
  }

  var isGrabbed = false
  /// Called once, right after the next read of the table: what happens before the queue is polled.
  var afterTable: (() -> Void)?
  /// The device was unplugged.
  var isGone = false
  /// Most events that one read(2) returns.
  var chunk = 64
  /// The device does not come to rest this number of times.
  var restless = 0
  /// How often queued events were discarded: each time a settled table is wanted.
  private(set) var discards = 0
  /// Events that were read so far.
  private(set) var eventsRead = 0
  /// Positions are not masked.
  private(set) var sendsPositions = true
  /// How often the buffer overflowed.
  private(set) var overflows = 0

  private let shape: Shape
  private let touchProtocol: TouchProtocol
  private let decoder: EventDecoder
  private var slots: SlotTable
  private var pending: [InputEvent] = []
  private var buffer: [InputEvent] = []
  private var head = 0
  private var readable = 0
  private var bytes = [UInt8](repeating: 0, count: 64 * 24)

  init(_ slots: SlotTable, _ touchProtocol: TouchProtocol, _ shape: Shape) {
    self.slots = slots
    self.touchProtocol = touchProtocol
    self.shape = shape
    decoder = EventDecoder(layout: shape.layout)
    _ = wantPositions(false)
  }

  // MARK: The device's side

  /// With all axes, whether the device has them or not.
  var wholeTable: KernelTable {
    var table = slots.table
    table.touchDown = shape.hasTouchButton ? touchDown : nil
    return table
  }

  /// A frame has begun and is not complete.
  var isInFrame: Bool { !pending.isEmpty }
  var touchDown: Bool { slots.table.touchDown == true }

  /// input_event(). False if the kernel sends nothing because a key did not change.
  @discardableResult
  func write(_ event: InputEvent) -> Bool {
    if event.type == EventType.key && event.code == EventCode.buttonTouch && event.value != 2
      && (event.value != 0) == touchDown
    {
      return false
    }
    if !(event.type == EventType.key && event.value == 2) { slots.apply(event) }
    pending.append(event)
    if event.type == EventType.syn && event.code == EventCode.synReport { flush() }
    return true
  }

  private func flush() {
    if !isGrabbed {
      for event in pending where !isMasked(event) {
        if event.type == EventType.syn && event.code == EventCode.synReport && readable == buffer.count {
          continue  // An empty frame.
        }
        buffer.append(event)
        if buffer.count - head == shape.capacity {
          overflows += 1
          buffer = [InputEvent(time: event.time, type: EventType.syn, code: EventCode.synDropped, value: 0), event]
          (head, readable) = (0, 0)
        }
        if event.type == EventType.syn && event.code == EventCode.synReport { readable = buffer.count }
      }
    }
    pending.removeAll(keepingCapacity: true)
  }

  // MARK: The reader's side

  /// As `TouchDevice.wantPositions`.
  func wantPositions(_ wanted: Bool) -> Bool {
    if wanted == sendsPositions || !shape.masks || touchProtocol == .typeA { return false }
    sendsPositions = wanted
    return true
  }

  /// As `TouchDevice` masks BTN_TOUCH of a device that repeats it.
  var masksButton: Bool {
    if case .typeB = touchProtocol { shape.masks && shape.hasAutorepeat } else { false }
  }

  private func isMasked(_ event: InputEvent) -> Bool {
    if !shape.masks || touchProtocol == .typeA { return false }
    switch event.type {
    case EventType.syn: return false
    case EventType.key:
      return event.code != EventCode.buttonTouch
        || (masksButton && !sendsPositions)
    case EventType.abs:
      if sendsPositions { return false }
      switch event.code {
      case EventCode.slot, EventCode.trackingID, EventCode.toolType, EventCode.distance:
        return touchProtocol == .singleTouch
      default: return true
      }
    default: return event.type == 0x04  // EV_MSC
    }
  }

  var hasQueued: Bool { isGone || readable > head }

  /// read(2) into a buffer of `chunk` events: no events is EAGAIN, `gone` is ENODEV.
  func read(limit: Int, at now: Instant) -> ReadResult {
    if isGone { return .gone }
    let count = min(readable - head, limit, chunk)
    if count == 0 { return .events([]) }
    eventsRead += count
    let size = shape.layout.rawValue
    bytes.withUnsafeMutableBytes { bytes in
      for index in 0..<count { encode(buffer[head + index], bytes, index * size) }
    }
    head += count
    if head == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      (head, readable) = (0, 0)
    }
    var events: [InputEvent] = []
    bytes.withUnsafeBytes {
      decoder.decode(UnsafeRawBufferPointer(rebasing: $0[..<(count * size)])) { events.append($0) }
    }
    return .events(events)
  }

  func discardQueued() -> Bool {
    if isGone { return false }
    discards += 1
    buffer.removeFirst(readable)
    (head, readable) = (0, 0)
    if restless == 0 { return true }
    restless -= 1
    return false
  }

  /// EVIOCGMTSLOTS, EVIOCGABS, EVIOCGKEY: now, also in the middle of a frame.
  func table() -> KernelTable? {
    if isGone { return nil }
    var table = slots.table
    if !shape.hasToolAxes {
      table.toolTypes = []
      table.distances = []
    }
    table.touchDown = shape.hasTouchButton ? touchDown : nil
    if let happens = afterTable {
      afterTable = nil
      happens()
    }
    return table
  }

  private func encode(_ event: InputEvent, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) {
    let micros = event.time.nanoseconds / 1000
    switch shape.layout {
    case .time64:
      bytes.storeBytes(of: micros / 1_000_000, toByteOffset: offset, as: Int64.self)
      bytes.storeBytes(of: micros % 1_000_000, toByteOffset: offset + 8, as: Int64.self)
    case .time32:
      bytes.storeBytes(of: Int32(micros / 1_000_000), toByteOffset: offset, as: Int32.self)
      bytes.storeBytes(of: Int32(micros % 1_000_000), toByteOffset: offset + 4, as: Int32.self)
    }
    let tail = offset + shape.layout.rawValue - 8
    bytes.storeBytes(of: event.type, toByteOffset: tail, as: UInt16.self)
    bytes.storeBytes(of: event.code, toByteOffset: tail + 2, as: UInt16.self)
    bytes.storeBytes(of: event.value, toByteOffset: tail + 4, as: Int32.self)
  }
}
