import Foundation
import Recordings
import Testing
import Timeline
import TouchModel

private let small = """
  # EVEMU 1.3
  # Input device name: "Panel #2"
  N: Panel #2
  I: 0003 04f3 200A 0110
  P: 02 00 00 00 00 00 00 00
  B: 00 0b 00 10 00 00 00 00 00
  B: 01 00 00 00 00 00 00 00 00  # first 64 keys
  B: 01 01 00 00 00 00 00 00 00
  B: 03 03 00 00 00 00 00 00 00
  A: 00 0 4095 1 2 12
  A: 35 -10 2048 0 0
  L: 01 1
  S: 00 0

  E: 0.000009 0003 0039 -001\t# EV_ABS / ABS_MT_TRACKING_ID -1
  E: 12.500000 0000 0000 0000

  """

@Suite("evemu text")
struct RecordingTests {
  @Test("every field of the description and the events arrives")
  func fields() throws {
    let recording = try Recording.parse(Array(small.utf8))
    var device = RecordedDevice(name: "Panel #2", bustype: 3, vendor: 0x4f3, product: 0x200a, version: 0x110)
    device.properties = [InputProperty.direct]
    device.keys = [64]
    device.otherCodes = [0: [0, 1, 3, 20]]
    device.axes = [
      0: .init(minimum: 0, maximum: 4095, fuzz: 1, flat: 2, resolution: 12),
      1: .init(minimum: 0, maximum: 1),
      0x35: .init(minimum: -10, maximum: 2048),
    ]
    #expect(recording.device == device)
    #expect(device.autorepeat)
    #expect(
      recording.events == [
        InputEvent(time: Instant(nanoseconds: 9000), type: 3, code: 0x39, value: -1),
        InputEvent(time: Instant(nanoseconds: 12_500_000_000), type: 0, code: 0, value: 0),
      ])
  }

  @Test("lines that end in CR LF are read as well")
  func carriageReturns() throws {
    let text = small.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    #expect(try Recording.parse(Array(text.utf8)) == Recording.parse(Array(small.utf8)))
  }

  @Test("a description alone is a recording of nothing")
  func descriptionOnly() throws {
    #expect(try Recording.parse(Array("N: a\nI: 3 1 2 3\n".utf8)).events.isEmpty)
  }

  @Test(
    "a file of events takes its description from NAME.desc beside it", arguments: ["tap", "tap.second"])
  func besides(_ name: String) throws {
    let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "touchgate-recordings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try small.write(to: folder.appending(path: "tap.desc"), atomically: true, encoding: .utf8)
    let events = folder.appending(path: "\(name).events")
    try "E: 0.000000 0003 0039 1\n".write(to: events, atomically: true, encoding: .utf8)
    let recording = try Recording.read(path: events.path)
    #expect(recording.events.count == 1)
    #expect(recording.device == (try Recording.parse(Array(small.utf8))).device)
  }

  @Test("events without a description take it from a second file")
  func pair() throws {
    let events = Array("E: 1.000000 0003 0039 5\n".utf8)
    let recording = try Recording.parse(description: Array(small.utf8), events: events)
    #expect(recording.device.name == "Panel #2")
    #expect(recording.events.map(\.value) == [5])
    #expect(throws: RecordingError.self) { try Recording.parse(events) }
  }

  @Test("the written text is evemu's own")
  func text() throws {
    var device = RecordedDevice(name: "two\r\nlines\u{85}", bustype: 6, vendor: 1, product: 0xabcd, version: 2)
    device.properties = [1]
    device.keys = [0x14a]
    device.axes = [0x2f: .init(minimum: 0, maximum: 9)]
    device.otherCodes = [0x14: [0, 1]]
    let event = InputEvent(time: Instant(nanoseconds: 1_000_002_999), type: 3, code: 0x2f, value: -70000)
    let zeros = String(repeating: "B: 01 00 00 00 00 00 00 00 00\n", count: 5)
    #expect(
      Recording(device: device, events: [event]).text() == """
        # EVEMU 1.3
        N: two  lines\u{85}
        I: 0006 0001 abcd 0002
        P: 02 00 00 00 00 00 00 00
        \(zeros)B: 01 00 04 00 00 00 00 00 00
        B: 03 00 00 00 00 00 80 00 00
        B: 14 03 00 00 00 00 00 00 00
        A: 2f 0 9 0 0 0
        E: 1.000002 0003 002f -70000

        """)
  }
}
