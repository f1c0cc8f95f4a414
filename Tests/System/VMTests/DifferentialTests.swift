import CLibevdev
import Evdev
import FoundationEssentials
import Glibc
import Linux
import ProjectFiles
import Recordings
import Testing
import Timeline
import TouchModel
import TouchReading
import VirtualTouch

extension VMTests {
  /// The same events of the same kernel, decoded by libevdev and by us.
  @Suite("Comparison with libevdev")
  struct DifferentialTests {
    @Test("on all recordings libevdev's slots and our contacts agree after every frame", arguments: streams)
    func agree(path: String) throws {
      let recording = try Recording.read(path: path)
      let screen = try VirtualTouchscreen(recording.device)
      let both = try BothReaders(screen.node)
      // libevdev does not follow type A.
      guard case .typeB = both.device.profile.touchProtocol else { return }
      var frame: [(type: UInt16, code: UInt16, value: Int32)] = []
      var frames = 0
      var liftedAt: Instant?
      for event in recording.events {
        let isReport = event.type == EventType.syn && event.code == EventCode.synReport
        // The kernel repeats keys itself.
        if recording.device.autorepeat
          && (isReport ? event.value == 1 : event.type == EventType.key && event.value == 2)
        {
          continue
        }
        // A pause between two touches keeps its length where it makes them two; other pauses are left out.
        if frame.isEmpty, let lifted = liftedAt, event.time - lifted >= .milliseconds(60) {
          SystemClock.sleep(until: SystemClock.monotonic + .milliseconds(61))
          liftedAt = event.time
        }
        frame.append((event.type, event.code, event.value))
        if !isReport { continue }
        screen.send(frame)
        frame = []
        frames += 1
        both.read()
        try #require(both.ours == both.theirs, "after frame \(frames), at \(event.time)")
        liftedAt = both.theirs.isEmpty ? liftedAt ?? event.time : nil
      }
      #expect(frames > 0)
      #expect(both.ours.isEmpty)
      #expect(both.begins > 0 && both.begins == both.ends)
    }

    @Test("there are recordings")
    func some() {
      #expect(!Self.streams.isEmpty)
    }

    @Test("known difference: an id replaced in place is a new contact to us, and an error to libevdev")
    func replacedInPlace() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let both = try BothReaders(screen.node)
      screen.down(slot: 0, x: 0.5, y: 0.5)
      both.read()
      #expect(both.ours == [Contact(slot: 0, id: 0)] && both.theirs == both.ours)
      screen.down(slot: 0, x: 0.6, y: 0.6)
      both.read()
      #expect(both.ours == [Contact(slot: 0, id: 1)])
      #expect(both.theirs == [Contact(slot: 0, id: 0)])
      #expect(both.begins == 2 && both.ends == 1)
      screen.up(slot: 0)
      both.read()
      #expect(both.ours.isEmpty && both.theirs.isEmpty)
    }

    /// A slot out of range is the other known difference: we ignore its data, libevdev uses the last slot. The kernel
    /// never sends one, so a touch script tests it (slot-out-of-range.touch).
    @Test("the kernel sends no slot out of range")
    func slotOutOfRange() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby", kind: .multitouch(slots: 2)))
      let both = try BothReaders(screen.node)
      for slot in [2, -1, Int32.max] {
        screen.send([(EventType.abs, EventCode.slot, slot), (EventType.abs, EventCode.trackingID, 7)])
        screen.send([(EventType.syn, EventCode.synReport, 0)])
        both.read()
        #expect(both.ours == both.theirs)
        screen.send([(EventType.abs, EventCode.trackingID, -1), (EventType.syn, EventCode.synReport, 0)])
        both.read()
        #expect(both.ours.isEmpty && both.theirs.isEmpty)
      }
    }

    @Test("after SYN_DROPPED both have the same contacts, whatever began and ended meanwhile")
    func loss() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let both = try BothReaders(screen.node)
      for slot in 0..<5 { screen.down(slot: slot, x: 0.1, y: 0.1) }
      both.read()
      screen.up(slot: 0)
      for _ in 0..<2000 {
        screen.down(slot: 7, x: 0.5, y: 0.5)
        screen.up(slot: 7)
      }
      screen.down(slot: 8, x: 0.5, y: 0.5)
      both.read()
      #expect(both.losses == 1)
      #expect(both.ours.map(\.slot) == [1, 2, 3, 4, 8])
      #expect(both.ours == both.theirs)
    }

    private static let streams: [String] = {
      return [
        "\(ProjectFiles.shared.path)/recordings/hid-devices", "\(ProjectFiles.shared.path)/recordings/evemu-devices",
        "\(ProjectFiles.root.path)/Examples/recordings",
      ].flatMap { folder -> [String] in
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
          let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
          }
          if [".ev", ".evemu", ".events"].contains(where: file.hasSuffix) { found.append("\(folder)/\(file)") }
        }
        return found.sorted()
      }
    }()
  }
}

/// One node, opened by libevdev and by us.
private final class BothReaders {
  let device: TouchDevice
  private(set) var begins = 0
  private(set) var ends = 0
  private(set) var losses = 0
  private var reader: DeviceReader
  private let descriptor: CInt
  private let library: OpaquePointer

  struct CannotOpen: Error {
    let node: String
    let code: CInt
  }

  init(_ node: String) throws {
    device = try TouchDevice(node: node, taggedTouchscreen: true)
    reader = DeviceReader(profile: device.profile)
    descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    var opened: OpaquePointer?
    let result = libevdev_new_from_fd(descriptor, &opened)
    guard result == 0, let opened else { throw CannotOpen(node: node, code: -result) }
    library = opened
    libevdev_set_device_log_function(library, { _, _, _, _, _, _, _, _ in }, LIBEVDEV_LOG_ERROR, nil)
    count(reader.timePassed(device, at: SystemClock.monotonic))
  }

  deinit {
    libevdev_free(library)
    close(descriptor)
  }

  var ours: [Contact] { reader.tracker.contacts }

  var theirs: [Contact] {
    (0..<max(0, libevdev_get_num_slots(library))).compactMap { slot in
      let id = libevdev_get_slot_value(library, UInt32(slot), UInt32(EventCode.trackingID))
      return id == -1 ? nil : Contact(slot: Int(slot), id: id)
    }
  }

  func read() {
    readTheirs()
    count(reader.readable(device, at: SystemClock.monotonic))
  }

  private func readTheirs() {
    var event = input_event()
    var flag = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue)
    while true {
      switch libevdev_next_event(library, flag, &event) {
      case CInt(LIBEVDEV_READ_STATUS_SYNC.rawValue): flag = UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue)
      case CInt(LIBEVDEV_READ_STATUS_SUCCESS.rawValue): break
      case -EAGAIN where flag == UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue):
        flag = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue)
      default: return
      }
    }
  }

  private func count(_ outputs: [DeviceReader.Output]) {
    for output in outputs {
      switch output {
      case .change(.began): begins += 1
      case .change(.ended): ends += 1
      case .change(.becameUncertain(.eventsLost, at: _)): losses += 1
      case .change, .ready, .unreadable, .repaired, .stuck, .gone: break
      }
    }
  }
}
