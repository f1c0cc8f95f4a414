import CLibevdev
import CLinux
import Glibc
import Linux
public import Timeline
public import TouchModel
public import TouchReading

/// An open touch device of the kernel: its events in order, and its slot table on request.
///
/// It has two descriptors. One receives the events. State is queried through the other, on which every event is masked:
/// EVIOCGKEY discards pending key events of the descriptor that it is called on (measured: a lost tap), and the second
/// descriptor never wakes the service.
public final class TouchDevice: FrameSource {
  public let node: String
  public let profile: ScreenProfile
  let reading: FileDescriptor
  let asking: FileDescriptor
  let hasToolType: Bool
  let hasDistance: Bool
  let hasTouchButton: Bool
  private var sendsPositions = true
  /// The kernel stamps with CLOCK_MONOTONIC; otherwise the time of reading replaces its stamps.
  private let stampsAreMonotonic: Bool
  /// During our grab: one more reader, which receives what all others receive.
  var witness: FileDescriptor?
  /// The kernel's stamp of the first event that was read since the grab was ended.
  var firstRead: Instant?
  var buffer = [UInt8](repeating: 0, count: 256 * EventDecoder.native.layout.rawValue)

  /// Opens and describes a device node.
  ///
  /// - Throws: `EvdevError` if it cannot be read, `ScreenProfile.Refusal` if it is not a touchscreen.
  public init(node: String, taggedTouchscreen: Bool, isConfigured: Bool = false) throws {
    let descriptor = try Self.open(node)
    var library: OpaquePointer?
    let result = libevdev_new_from_fd(descriptor.raw, &library)
    guard result >= 0, let library else { throw EvdevError("cannot read the properties of \(node)", -result) }
    defer { libevdev_free(library) }
    var capabilities = Self.capabilities(library)
    capabilities.taggedTouchscreen = taggedTouchscreen
    capabilities.isConfigured = isConfigured
    var profile = try ScreenProfile(capabilities)
    let second = try Self.open(node)
    self.node = node
    hasToolType = capabilities.axes.contains(EventCode.toolType)
    hasDistance = capabilities.axes.contains(EventCode.distance)
    hasTouchButton = capabilities.keys.contains(profile.button)
    if case .typeB = profile.touchProtocol {
      profile.masksButton = libevdev_has_event_type(library, UInt32(EventType.rep)) != 0
    }
    profile.axes = Self.axes(library, profile.touchProtocol)
    self.profile = profile
    stampsAreMonotonic = tg_evdev_set_clock(descriptor.raw, CInt(CLOCK_MONOTONIC)) == 0
    // Refused by kernels before 4.4: then the second descriptor overflows unread, which is harmless.
    for type in [EventType.syn, EventType.key, EventType.abs] { Self.mask(second.raw, type, []) }
    Self.mask(descriptor.raw, EventType.msc, [])
    reading = descriptor
    asking = second
    _ = wantPositions(false)
  }

  static func open(_ node: String) throws(EvdevError) -> FileDescriptor {
    do {
      return try FileDescriptor(opening: node, O_RDONLY | O_NONBLOCK)
    } catch {
      throw EvdevError.opening(node, error.code)
    }
  }

  /// Becomes readable when `read` has something, and when the device is gone. Valid while this object lives.
  public var descriptor: CInt { reading.raw }

  // MARK: Events

  public func read(limit: Int, at now: Instant) -> ReadResult {
    let size: Int
    do {
      size = try read(reading, limit: limit)
    } catch {
      return error.isWouldBlock ? .events([]) : .gone
    }
    if size == 0 { return .gone }
    var events: [InputEvent] = []
    events.reserveCapacity(size / EventDecoder.native.layout.rawValue)
    decode(size) { event in
      firstRead = firstRead ?? event.time
      var event = event
      if !stampsAreMonotonic { event.time = now }
      if event.type == EventType.key && event.code == profile.button { event.code = EventCode.buttonTouch }
      events.append(event)
    }
    return .events(events)
  }

  public var hasQueued: Bool { Self.isReadable(reading.raw) }

  public func discardQueued() -> Bool {
    // Bounded: a device that sends faster than it can be read does not come to rest.
    for _ in 0..<1024 {
      do {
        if try read(reading) == 0 { return false }
      } catch {
        return error.isWouldBlock
      }
    }
    return false
  }

  /// Reads as many events as fit into the buffer. Returns the number of bytes.
  func read(_ descriptor: borrowing FileDescriptor, limit: Int = .max) throws(Errno) -> Int {
    let layout = EventDecoder.native.layout.rawValue
    let most = min(buffer.count / layout, max(1, limit)) * layout
    // No `read(into:)` in the closure: it cannot throw a typed error through `withUnsafeMutableBytes`.
    let size = buffer.withUnsafeMutableBytes { bytes in
      retry { Glibc.read(descriptor.raw, bytes.baseAddress, most) }
    }
    if size < 0 { throw Errno() }
    return size
  }

  func decode(_ size: Int, _ body: (InputEvent) -> Void) {
    buffer.withUnsafeBytes { EventDecoder.native.decode(UnsafeRawBufferPointer(rebasing: $0[0..<size]), body) }
  }

  static func isReadable(_ descriptor: CInt) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return retry { poll(&waiting, 1, 0) } > 0
  }

  // MARK: Masks

  /// What is not masked decides about contacts: slot, id, tool, distance and BTN_TOUCH. Type A needs everything: its
  /// positions are its contacts. BTN_TOUCH of a device with autorepeat is masked too if it has slots: the kernel repeats
  /// it 30 times a second under a resting finger. Kernels that refuse EVIOCSMASK (before 4.4) send everything, which is
  /// decoded the same.
  public func wantPositions(_ wanted: Bool) -> Bool {
    if wanted == sendsPositions { return false }
    switch profile.touchProtocol {
    case .typeA:
      return false
    case .typeB:
      if wanted {
        Self.mask(reading.raw, EventType.abs, nil)
        Self.mask(reading.raw, EventType.key, [EventCode.buttonTouch])
      } else {
        let codes = [EventCode.slot, EventCode.trackingID, EventCode.toolType, EventCode.distance]
        Self.mask(reading.raw, EventType.abs, codes)
        Self.mask(reading.raw, EventType.key, profile.masksButton ? [] : [EventCode.buttonTouch])
      }
    case .singleTouch:
      Self.mask(reading.raw, EventType.abs, wanted ? nil : [])
      Self.mask(reading.raw, EventType.key, [profile.button])
    }
    sendsPositions = wanted
    return true
  }

  /// Lets only these codes of a type through; nil: all of them.
  private static func mask(_ descriptor: CInt, _ type: UInt16, _ codes: [UInt16]?) {
    var bitmap = [UInt8](repeating: codes == nil ? 0xff : 0, count: 96)
    for code in codes ?? [] { bitmap[Int(code) / 8] |= 1 << (code % 8) }
    _ = tg_evdev_set_mask(descriptor, UInt32(type), bitmap, UInt32(bitmap.count))
  }

  /// Nil if an absinfo is wrong.
  private static func axes(_ library: OpaquePointer, _ touchProtocol: TouchProtocol) -> ScreenProfile.Axes? {
    func range(_ code: UInt16) -> ClosedRange<Int32>? {
      let ends = (
        libevdev_get_abs_minimum(library, UInt32(code)), libevdev_get_abs_maximum(library, UInt32(code))
      )
      return ends.0 < ends.1 ? ends.0...ends.1 : nil
    }
    let isSingle = touchProtocol == .singleTouch
    guard let x = range(isSingle ? EventCode.absX : EventCode.positionX),
      let y = range(isSingle ? EventCode.absY : EventCode.positionY)
    else { return nil }
    return ScreenProfile.Axes(x: x, y: y)
  }

  static func capabilities(_ library: OpaquePointer) -> ScreenProfile.Capabilities {
    func codes(_ type: UInt16, _ range: Range<UInt32>) -> Set<UInt16> {
      Set(range.filter { libevdev_has_event_code(library, UInt32(type), $0) != 0 }.map { UInt16($0) })
    }
    let axes = codes(EventType.abs, 0..<0x40)
    return ScreenProfile.Capabilities(
      name: libevdev_get_name(library).map { String(cString: $0) } ?? "touchscreen",
      properties: Set((0..<UInt32(32)).filter { libevdev_has_property(library, $0) != 0 }.map { UInt16($0) }),
      keys: codes(EventType.key, SysfsReader.keys), axes: axes,
      slots: axes.contains(EventCode.slot)
        ? Int(libevdev_get_abs_maximum(library, UInt32(EventCode.slot))) + 1 : nil,
      taggedTouchscreen: false)
  }
}
