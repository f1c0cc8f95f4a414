import Recordings
import Seeded
import Testing
import TouchModel

@Suite("bad input")
struct BadRecordingTests {
  private static let head = "N: a\nI: 3 1 2 3\n"

  struct Case: CustomTestStringConvertible {
    let text: String
    let line: Int?
    let word: String

    init(_ text: String, _ line: Int?, _ word: String) {
      self.text = text
      self.line = line
      self.word = word
    }

    var testDescription: String { "\(text.suffix(50).debugDescription)" }
  }

  static let bad: [Case] = [
    .init("", nil, "neither"),
    .init("# EVEMU 1.3\n\n", nil, "neither"),
    .init("\u{0}\u{1}\u{7f}ELF\n", 1, "\\x00\\x01\\x7fELF"),
    .init("N: a\n", 1, "no identity"),
    .init("\nI: 3 1 2 3\n", 2, "no name"),
    .init("N: \nI: 3 1 2 3\n", 1, "N: NAME"),
    .init(head + "N: b\n", 3, "two recordings"),
    .init(head + "I: 3 1 2 3\n", 3, "two recordings"),
    .init("N: a\nI: 3 1 2\n", 2, "I: BUS"),
    .init("N: a\nI: 3 1 2 12345\n", 2, "I: BUS"),
    .init("N: a\nI: 3 1 2 3 4\n", 2, "I: BUS"),
    .init(head + "P: 02 00\n", 3, "P: and 8"),
    .init(head + "P: 02 00 00 00 00 00 00 100\n", 3, "P: and 8"),
    .init(head + "B: 20 00 00 00 00 00 00 00 00\n", 3, "B: TYPE"),
    .init(head + "B: 01 00 00 00 00 00 00 00 0g\n", 3, "B: TYPE"),
    .init(head + "B: 01 00 00 00 00 00 00 00 00 00\n", 3, "B: TYPE"),
    .init(head + String(repeating: "B: 01 00 00 00 00 00 00 00 00\n", count: 13), 15, "at most 12"),
    .init(head + "A: 40 0 1 0 0\n", 3, "A: CODE"),
    .init(head + "A: 35 0 2147483648 0 0\n", 3, "A: CODE"),
    .init(head + "A: 35 0 1 0\n", 3, "A: CODE"),
    .init(head + "A: 35 0 1 0 0 0 0\n", 3, "A: CODE"),
    .init(head + "S: 0\n", 3, "state"),
    .init(head + "X: 1\n", 3, "evemu text"),
    .init(head + "hello\n", 3, "evemu text"),
    .init(head + "E: 0.000000 0003 0039\n", 3, "E: SECONDS"),
    .init(head + "E: 0.000000 0003 0039 2147483648\n", 3, "E: SECONDS"),
    .init(head + "E: 0.000000 0003 0039 -2147483649\n", 3, "E: SECONDS"),
    .init(head + "E: 0.000000 0003 0039 99999999999999999999999999999999\n", 3, "E: SECONDS"),
    .init(head + "E: 0.000000 10000 0039 1\n", 3, "E: SECONDS"),
    .init(head + "E: 0.5 0003 0039 1\n", 3, "6 digits"),
    .init(head + "E: -1.000000 0003 0039 1\n", 3, "E: SECONDS"),
    .init(head + "E: 9223372036.854775 0003 0039 1\n", 3, "E: SECONDS"),
    .init(head + "E: 99999999999999999999.000000 0003 0039 1\n", 3, "E: SECONDS"),
    .init(head + "E: 0.000000 0003 0039 1 2\n", 3, "E: SECONDS"),
    .init(head + "E: 0.000000 0003 0039 1x\n", 3, "E: SECONDS"),
    .init(head + "E: 0.000000 0003 0039 1\nA: 35 0 1 0 0\n", 4, "after events"),
    .init(head + "E: 0.000000 0003 0039 1\nE: 0.000001 0003 0035 24", 4, "truncated"),
    .init("N: a", 1, "truncated"),
    .init("E: 0.000000 0003 0039 1\n", nil, "no description"),
  ]

  @Test("is an error with the line and what was expected", arguments: bad)
  func isRefused(input: Case) {
    let error = #expect(throws: RecordingError.self) { try Recording.parse(Array(input.text.utf8)) }
    #expect(error?.line == input.line)
    #expect(error?.description.contains(input.word) == true, "\(error?.description ?? "")")
  }

  @Test("a very long line is shown with its start only")
  func longLine() {
    let text = Self.head + String(repeating: "9", count: 100_000) + "\n"
    let error = #expect(throws: RecordingError.self) { try Recording.parse(Array(text.utf8)) }
    #expect(error?.description.contains("999...") == true)
    #expect((error?.description.utf8.count ?? .max) < 400)
  }

  @Test("the widest numbers are accepted")
  func limits() throws {
    let text = Self.head + "A: 3f -2147483648 2147483647 0 0 0\nE: 9223372034.999999 ffff ffff -2147483648\n"
    let recording = try Recording.parse(Array(text.utf8))
    #expect(recording.events.first?.value == .min)
    #expect(try Recording.parse(Array(recording.text().utf8)) == recording)
  }

  @Test("random changes to a valid text never crash, and a text that is still valid is unchanged after writing")
  func mutations() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    print("seed of the mutations: \(seed)")
    let good = Array("N: a\nI: 3 1 2 3\nB: 1 2 0 0 0 0 0 0 0\nA: 35 0 9 0 0\nE: 0.000001 3 39 -1\n".utf8)
    let alphabet = Array("\n\r\t #.-:0123456789afxNIPBALSE".utf8) + [0, 0x80, 0xff]
    var accepted = 0
    for _ in 0..<250_000 {
      var bytes = good
      for _ in 0...(random.next() % 3) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(alphabet[Int(random.next() % UInt64(alphabet.count))], at: place)
        case 2: bytes.removeLast(bytes.count - max(1, place))
        default: bytes[place] = alphabet[Int(random.next() % UInt64(alphabet.count))]
        }
        if bytes.isEmpty { bytes = good }
      }
      guard let recording = try? Recording.parse(bytes) else { continue }
      accepted += 1
      guard accepted % 64 == 0 else { continue }
      if (try? Recording.parse(Array(recording.text().utf8))) != recording {
        Issue.record("not the same after writing (seed \(seed)): \(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(accepted > 1000 && accepted < 150_000, "mutations too weak or too strong: \(accepted) accepted")
  }
}
