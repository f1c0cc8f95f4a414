import CLibevdev
import CLinux
import Glibc
public import Timeline
public import TouchModel

/// An open touch device: frames in order, and the kernel's table on request.
///
/// Two descriptors. The reading one gets the events. State is asked through the second, on which every event is
/// masked: EVIOCGKEY throws away pending key events of the descriptor that it is called on (measured: a tap lost),
/// and the second one never wakes us.
public final class TouchDevice {
  public struct Reading: Sendable {
    public var outputs: [FrameAssembler.Output] = []
    /// ENODEV: the device is gone.
    public var gone = false
    /// The events after the last output are thrown away; read `settledTable` now.
    public var needsTable = false

    public init() {}
  }

  public let node: String
  public let profile: ScreenProfile
  private let reading: CInt
  private let asking: CInt
  private let hasToolType: Bool
  private let hasDistance: Bool
  private let hasTouchButton: Bool
  private let hasAutorepeat: Bool
  private var hearsPositions = true
  /// The kernel stamps with CLOCK_MONOTONIC; else stamps mean nothing and the time of reading stands for them.
  private let stampsAreMonotonic: Bool
  private var assembler = FrameAssembler()
  private var lastStamp = Instant.distantPast
  /// While we hold the grab: one more reader, which gets what all others get.
  private var witness: CInt?
  /// The kernel's stamp of the first event that was read since the grab was ended.
  private var firstRead: Instant?
  private var buffer = [UInt8](repeating: 0, count: 256 * EventDecoder.native.layout.rawValue)

  /// Opens and describes a node. Throws `EvdevError` where it cannot be read, and `ScreenProfile.Refusal` where it is
  /// no touchscreen.
  public init(node: String, taggedTouchscreen: Bool) throws {
    let descriptor = Glibc.open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { throw EvdevError.opening(node, errno) }
    var library: OpaquePointer?
    let result = libevdev_new_from_fd(descriptor, &library)
    guard result >= 0, let library else {
      close(descriptor)
      throw EvdevError("cannot describe \(node)", -result)
    }
    defer { libevdev_free(library) }
    let capabilities = Self.capabilities(library, taggedTouchscreen)
    do {
      profile = try ScreenProfile(capabilities)
    } catch {
      close(descriptor)
      throw error
    }
    let second = Glibc.open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if second < 0 {
      let code = errno
      close(descriptor)
      throw EvdevError.opening(node, code)
    }
    self.node = node
    reading = descriptor
    asking = second
    hasToolType = capabilities.axes.contains(EventCode.toolType)
    hasDistance = capabilities.axes.contains(EventCode.distance)
    hasTouchButton = capabilities.keys.contains(EventCode.buttonTouch)
    hasAutorepeat = libevdev_has_event_type(library, UInt32(EventType.rep)) != 0
    stampsAreMonotonic = tg_evdev_set_clock(descriptor, CInt(CLOCK_MONOTONIC)) == 0
    // Refused by kernels before 4.4: then the second descriptor just overflows unread.
    for type in [EventType.syn, EventType.key, EventType.abs] { Self.mask(second, type, []) }
    Self.mask(descriptor, EventType.msc, [])
    _ = wantPositions(false)
  }

  deinit {
    close(reading)
    close(asking)
    if let witness { close(witness) }
  }

  /// Readable when `read` has something, and when the device is gone.
  public var descriptor: CInt { reading }

  /// Masks positions in the kernel, or lets them come, so that a drag does not wake the service for every frame. True
  /// where that changed: then `settledTable` must be adopted, because what is queued was made under the other mask.
  ///
  /// What stays decides about contacts: slot, id, tool, distance and BTN_TOUCH. Type A needs everything: its positions
  /// are its contacts. BTN_TOUCH of a device with autorepeat is masked too, where slots tell enough: the kernel repeats
  /// it 30 times a second under a resting finger. Kernels that refuse EVIOCSMASK (before 4.4) send everything, which
  /// is decoded the same.
  public func wantPositions(_ wanted: Bool) -> Bool {
    if wanted == hearsPositions { return false }
    switch profile.tongue {
    case .groups:
      return false
    case .slots:
      if wanted {
        Self.mask(reading, EventType.abs, nil)
        Self.mask(reading, EventType.key, [EventCode.buttonTouch])
      } else {
        let codes = [EventCode.slot, EventCode.trackingID, EventCode.toolType, EventCode.distance]
        Self.mask(reading, EventType.abs, codes)
        Self.mask(reading, EventType.key, hasAutorepeat ? [] : [EventCode.buttonTouch])
      }
    case .single:
      Self.mask(reading, EventType.abs, wanted ? nil : [])
      Self.mask(reading, EventType.key, [EventCode.buttonTouch])
    }
    hearsPositions = wanted
    return true
  }

  /// Lets only these codes of a type through; nil: all of them.
  private static func mask(_ descriptor: CInt, _ type: UInt16, _ codes: [UInt16]?) {
    var bitmap = [UInt8](repeating: codes == nil ? 0xff : 0, count: 96)
    for code in codes ?? [] { bitmap[Int(code) / 8] |= 1 << (code % 8) }
    _ = tg_evdev_set_mask(descriptor, UInt32(type), bitmap, UInt32(bitmap.count))
  }

  /// Reads what is there, at most `limit` events, so that a device that floods cannot keep the loop.
  public func read(now: Instant, limit: Int = 4096) -> Reading {
    var result = Reading()
    var count = 0
    while count < limit {
      let size = buffer.withUnsafeMutableBytes { Glibc.read(reading, $0.baseAddress, $0.count) }
      if size < 0 && errno == EINTR { continue }
      if size <= 0 {
        result.gone = size == 0 || errno != EAGAIN
        return result
      }
      count += size / EventDecoder.native.layout.rawValue
      buffer.withUnsafeBytes { bytes in
        EventDecoder.native.decode(UnsafeRawBufferPointer(rebasing: bytes[0..<size])) { event in
          if result.needsTable { return }
          var event = event
          firstRead = firstRead ?? event.time
          event.time = stamp(event.time, now)
          guard let output = assembler.add(event) else { return }
          result.outputs.append(output)
          if case .resync = output { result.needsTable = true }
        }
      }
      if result.needsTable { return result }
    }
    return result
  }

  /// When a frame that the kernel cut is to be taken as over, unless more of it comes before: `finishCutFrame`.
  public var cutFrameDue: Instant? { assembler.cutSince.map { $0 + ContactTracker.secondRead } }

  public func finishCutFrame(now: Instant) -> FrameAssembler.Output? { assembler.finishCutFrame(at: stamp(now, now)) }

  /// The table at a moment when nothing is queued that is older or unread: throws away what is queued, reads, and
  /// wants a second read that agrees with nothing queued in between. Nil where the device does not come to rest in
  /// `tries`, or is gone.
  public func settledTable(tries: Int = 20) -> KernelTable? {
    for _ in 0..<tries {
      guard discardQueued() else { return nil }
      assembler.reset()
      guard let first = table(), !hasQueued, let second = table() else { continue }
      if first == second && !hasQueued { return second }
    }
    return nil
  }

  /// The table now, perhaps in the middle of a frame; nil where the device is gone.
  public func table() -> KernelTable? {
    var table = KernelTable()
    if case .slots(let count) = profile.tongue {
      guard let ids = slotValues(EventCode.trackingID, count) else { return nil }
      table.trackingIDs = ids
      if hasToolType { table.toolTypes = slotValues(EventCode.toolType, count) ?? [] }
      if hasDistance { table.distances = slotValues(EventCode.distance, count) ?? [] }
      if let x = slotValues(EventCode.positionX, count), let y = slotValues(EventCode.positionY, count) {
        table.positions = zip(x, y).map { KernelTable.Position(x: $0, y: $1) }
      }
      guard let slot = axis(EventCode.slot) else { return nil }
      table.currentSlot = Int(slot)
    } else if let x = axis(EventCode.absX), let y = axis(EventCode.absY) {
      table.positions = [KernelTable.Position(x: x, y: y)]
    }
    if hasTouchButton {
      var keys = [UInt8](repeating: 0, count: 96)
      guard tg_evdev_keys(asking, &keys, UInt32(keys.count)) >= 0 else { return nil }
      table.touchDown = keys[Int(EventCode.buttonTouch) / 8] >> (EventCode.buttonTouch % 8) & 1 == 1
    }
    return table
  }

  // MARK: The grab

  public enum Grab: Equatable, Sendable {
    case taken
    /// Events wait to be read.
    case touched
    /// Another process holds the device.
    case busy
    case failed(CInt)
  }

  /// EVIOCGRAB: from now on events come here only. Works on a read-only descriptor, and ends with it.
  public func grab() -> Grab {
    let witness = Glibc.open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if witness < 0 { return .failed(errno) }
    _ = tg_evdev_set_clock(witness, CInt(CLOCK_MONOTONIC))
    let code = hasQueued ? 0 : tg_evdev_grab(reading, 1) == 0 ? nil : errno
    if let code {
      close(witness)
      return code == 0 ? .touched : code == EBUSY ? .busy : .failed(code)
    }
    self.witness = witness
    return .taken
  }

  /// Waits for the kernel's readers (RCU): up to 70 ms were seen. To be followed by a `read` and `unheard`.
  public func ungrab() {
    _ = tg_evdev_grab(reading, 0)
    firstRead = nil
  }

  /// What came between the last look and the end of the grab.
  public enum Unheard: Equatable, Sendable {
    case nothing
    /// Others have heard only what came after it.
    case beginning
    /// Others have heard nothing yet.
    case all
  }

  /// After `ungrab` and a `read`. A frame has one stamp for all who hear it.
  public func unheard() -> Unheard {
    guard let witness else { return .nothing }
    defer {
      close(witness)
      self.witness = nil
    }
    guard let firstRead else { return .nothing }
    let size = buffer.withUnsafeMutableBytes { Glibc.read(witness, $0.baseAddress, $0.count) }
    var firstHeard: Instant?
    buffer.withUnsafeBytes { bytes in
      EventDecoder.native.decode(UnsafeRawBufferPointer(rebasing: bytes[0..<max(0, size)])) { event in
        if firstHeard == nil { firstHeard = event.time }
      }
    }
    guard let firstHeard else { return .all }
    return firstRead < firstHeard ? .beginning : .nothing
  }

  /// Whether anything came just before the grab, after `grab` was called: others have heard it, too. What has begun
  /// since without that, only we have heard.
  public var othersHeard: Bool {
    guard let witness else { return false }
    return Self.isReadable(witness)
  }

  /// Any key or button of the device, BTN_TOUCH too, as the kernel has it now. False where the device is gone.
  public var isTouchOrKeyDown: Bool { keysDown.contains { $0 != 0 } }

  /// The same without the buttons that only tell of fingers.
  public var isKeyDown: Bool {
    var keys = keysDown
    for code in EventCode.buttonsOfFingers { keys[Int(code) / 8] &= ~(1 << (code % 8)) }
    return keys.contains { $0 != 0 }
  }

  private var keysDown: [UInt8] {
    var keys = [UInt8](repeating: 0, count: 96)
    return tg_evdev_keys(asking, &keys, UInt32(keys.count)) >= 0 ? keys : keys.map { _ in 0 }
  }

  /// Whether events wait to be read.
  public var hasQueued: Bool { Self.isReadable(reading) }

  private static func isReadable(_ descriptor: CInt) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) > 0
  }

  private func discardQueued() -> Bool {
    // Bounded: a device that floods faster than it can be read does not come to rest.
    for _ in 0..<1024 {
      let size = buffer.withUnsafeMutableBytes { Glibc.read(reading, $0.baseAddress, $0.count) }
      if size < 0 && errno == EINTR { continue }
      if size < 0 && errno == EAGAIN { return true }
      if size <= 0 { return false }
    }
    return false
  }

  /// The value of an axis; nil where the device has none such, or is gone.
  private func axis(_ code: UInt16) -> Int32? {
    var info = input_absinfo()
    return tg_evdev_abs(asking, UInt32(code), &info) == 0 ? info.value : nil
  }

  private func slotValues(_ code: UInt16, _ count: Int) -> [Int32]? {
    var values = [CInt](repeating: 0, count: count + 1)
    values[0] = CInt(code)
    guard tg_evdev_mt_slots(asking, &values, UInt32(values.count)) >= 0 else { return nil }
    return Array(values.dropFirst())
  }

  /// A stamp that never lies in the future and never goes back; where the device's driver says otherwise, the time of
  /// reading stands for it.
  private func stamp(_ time: Instant, _ now: Instant) -> Instant {
    lastStamp = stampsAreMonotonic && time >= lastStamp ? min(time, now) : now
    return lastStamp
  }

  private static func capabilities(_ library: OpaquePointer, _ tagged: Bool) -> ScreenProfile.Capabilities {
    func codes(_ type: UInt16, _ range: Range<UInt32>) -> Set<UInt16> {
      Set(range.filter { libevdev_has_event_code(library, UInt32(type), $0) != 0 }.map { UInt16($0) })
    }
    let axes = codes(EventType.abs, 0..<0x40)
    return ScreenProfile.Capabilities(
      name: libevdev_get_name(library).map { String(cString: $0) } ?? "touchscreen",
      properties: Set((0..<UInt32(32)).filter { libevdev_has_property(library, $0) != 0 }.map { UInt16($0) }),
      keys: codes(EventType.key, 0x140..<0x150), axes: axes,
      slots: axes.contains(EventCode.slot)
        ? Int(libevdev_get_abs_maximum(library, UInt32(EventCode.slot))) + 1 : nil,
      taggedTouchscreen: tagged)
  }
}
