import FoundationEssentials
import Glibc
import Linux
import ProjectFiles
import Recordings
import Testing
import Timeline
import TouchModel

@testable import VirtualTouch

/// What another program reads from a device.
private final class Reader {
  private let descriptor: CInt

  init(_ node: String) throws {
    descriptor = open(node, O_RDONLY | O_NONBLOCK)
    try #require(descriptor >= 0, "\(node): \(Errno())")
  }

  deinit { close(descriptor) }

  /// All that waits to be read.
  func read() -> [RawEvent] {
    let stampSize = MemoryLayout<timeval>.size
    let size = stampSize + 8
    var bytes = [UInt8](repeating: 0, count: size * 64)
    var events: [RawEvent] = []
    while case let count = Glibc.read(descriptor, &bytes, bytes.count), count > 0 {
      bytes.withUnsafeBytes { bytes in
        for start in stride(from: stampSize, to: count, by: size) {
          events.append(
            (
              bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self),
              bytes.loadUnaligned(fromByteOffset: start + 2, as: UInt16.self),
              bytes.loadUnaligned(fromByteOffset: start + 4, as: Int32.self)
            ))
        }
      }
    }
    return events
  }
}

private let sharedRecordings = ProjectFiles.shared.appending(path: "recordings").path

private let hasUinput = access("/dev/uinput", W_OK) == 0

@Suite(
  "virtual touchscreens", .enabled(if: hasUinput, "no /dev/uinput here: Tests/Tools/vm/run runs these"), .serialized)
struct VirtualTouchscreenTests {
  @Test("another program reads the events of the fingers, and the kernel's slot table agrees")
  func touches() throws {
    let screen = try VirtualTouchscreen(ScreenDescription("Table", kind: .multitouch(slots: 3)))
    let reader = try Reader(screen.node)
    #expect(try screen.kernelIDs() == [-1, -1, -1])
    screen.down(slot: 1, x: 1, y: 0)
    screen.frame {
      screen.down(slot: 2, x: 1, y: 1)
      screen.up(slot: 1)
    }
    #expect(try screen.kernelIDs() == [-1, -1, 1])
    screen.up(slot: 2)
    #expect(try screen.kernelIDs() == [-1, -1, -1])
    // The kernel leaves out what did not change: positions of 0 at the start, ABS_X of the second frame.
    #expect(brief(reader.read()) == "S1 T0 X4095 B1 x4095 . S2 T1 X4095 Y4095 S1 T-1 y4095 . S2 T-1 B0 .")
  }

  @Test("two screens do not affect each other, and unplugging removes one")
  func two() throws {
    let first = try VirtualTouchscreen(ScreenDescription("First"))
    let second = try VirtualTouchscreen(ScreenDescription("Second"))
    #expect(first.node != second.node)
    first.down(slot: 0, x: 0, y: 0)
    second.down(slot: 9, x: 0, y: 0)
    first.unplug()
    #expect(!first.isPlugged && access(first.sysfs, F_OK) != 0)
    first.down(slot: 0, x: 0, y: 0)
    #expect(try second.kernelIDs() == [-1, -1, -1, -1, -1, -1, -1, -1, -1, 0])
  }

  @Test("a grab keeps the events from others until it ends")
  func grab() throws {
    let screen = try VirtualTouchscreen(ScreenDescription("Grabbed"))
    let reader = try Reader(screen.node)
    do {
      let grab = try ForeignGrab(node: screen.node)
      screen.down(slot: 0, x: 1, y: 1)
      #expect(reader.read().isEmpty)
      #expect(throws: VirtualTouchError.cannotGrab(node: screen.node, errno: EBUSY)) {
        try ForeignGrab(node: screen.node)
      }
      withExtendedLifetime(grab) {}
    }
    screen.up(slot: 0)
    #expect(brief(reader.read()) == "T-1 B0 .")
  }

  @Test("a recording lasts as long as it was recorded, divided by the speed")
  func speed() throws {
    let screen = try VirtualTouchscreen(ScreenDescription("Played"))
    let events: [InputEvent] = (0..<11).flatMap { step in
      let time = Instant(nanoseconds: Int64(step) * 100_000_000)
      return [
        InputEvent(time: time, type: EventType.abs, code: EventCode.trackingID, value: step == 10 ? -1 : 7),
        InputEvent(time: time, type: EventType.syn, code: EventCode.synReport, value: 0),
      ]
    }
    let start = SystemClock.monotonic
    screen.play(Recording(device: screen.device, events: events), speed: 10)
    let took = SystemClock.monotonic - start
    #expect(took >= .milliseconds(100) && took < .seconds(10))
    #expect(try screen.kernelIDs() == [Int32](repeating: -1, count: 10))
  }

  @Test(
    "the kernel reports recordings of real screens unchanged",
    .enabled(if: access(sharedRecordings, R_OK) == 0, "no \(sharedRecordings)"),
    arguments: ["3m_0596_0500_0", "anton_1130_3101_1_0", "irtouch_6615_0070_0", "quanta_0408_3000_0"])
  func recordings(name: String) throws {
    let recording = try Recording.read(path: "\(sharedRecordings)/hid-devices/\(name).ev")
    // Both have done their work when it was recorded: the smoothing of positions, and the repeats of keys.
    var device = recording.device
    for code in device.axes.keys { device.axes[code]?.fuzz = 0 }
    device.otherCodes = [:]
    let screen = try VirtualTouchscreen(device)
    let reader = try Reader(screen.node)
    var read: [RawEvent] = []
    for frame in Playback.frames(of: recording.events, withoutRepeats: false) {
      screen.send(frame.events)
      read += reader.read()
    }
    // The kernel passes no frame with nothing in it, such as the last one, made when the real screen was unplugged.
    let sent = recording.events.map { ($0.type, $0.code, $0.value) as RawEvent }
    let expected = brief(sent).split(separator: ".").filter { $0 != " " && $0 != "1" }
    #expect(brief(read).split(separator: ".").filter { $0 != " " && $0 != "1" } == expected)
    #expect(try screen.kernelIDs().allSatisfy { $0 == -1 })
  }

  @Test("a device that the kernel refuses throws an error with the reason")
  func refused() throws {
    var description = ScreenDescription("Wrong")
    description.maxX = -5
    #expect(throws: VirtualTouchError.deviceRefused(name: "Wrong", errno: EINVAL)) {
      try VirtualTouchscreen(description)
    }
  }

  @Test("a script plays: screens, fingers, blocks, plug and errors with their lines")
  func script() throws {
    var nodes: [String] = []
    let player = ScriptPlayer { name, node in nodes.append(name) }
    try player.run(
      ScriptParser.parse(
        """
        screen a slots=2; screen b kind=st
        repeat 2 { a.down 0 10% 10%; a.up 0 }
        a.frame { down 0 10% 10%; down 1 20% 20% }
        a.move 1 40% 40% 20ms rate 1000
        b.tap 0 50% 50% 1ms; b.unplug; b.plug
        """))
    #expect(nodes == ["a", "b", "b"])
    #expect(try player.screen("a")?.kernelIDs() == [2, 3])
    let position = try #require(player.screen("a")?.position(slot: 1))
    #expect(abs(position.x - 0.4) < 0.001)
    for (script, words) in [("up 1", "no finger"), ("down 2 1% 1%", "0 to 1"), ("plug", "already")] {
      let steps = try ScriptParser.parse("screen a\n\n\(script)").dropFirst()
      let error = #expect(throws: ScriptError.self) {
        if script == "up 1" { player.screen("a")?.up(slot: 1) }
        try player.run(Array(steps))
      }
      #expect(error?.line == 3 && error?.problem.contains(words) == true)
    }
  }
}

@Suite("without uinput", .enabled(if: !hasUinput, "/dev/uinput exists"))
struct NoUinputTests {
  @Test("the error of making a screen says what is missing and what to do")
  func message() {
    let error = #expect(throws: VirtualTouchError.self) { try VirtualTouchscreen(ScreenDescription()) }
    #expect(error?.description.contains("/dev/uinput cannot be opened") == true)
    #expect(error?.description.contains(access("/dev/uinput", F_OK) != 0 ? "modprobe uinput" : "root") == true)
  }
}
