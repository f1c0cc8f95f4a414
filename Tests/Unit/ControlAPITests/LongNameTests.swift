import Testing
import Timeline
import TouchgateAPI

@testable import ControlAPI

@Suite("Long names in requests")
struct LongNameTests {
  static let long = String(repeating: "x", count: 100_000)
  /// One character of a hundred thousand scalars.
  static let tower = "x" + String(repeating: "\u{301}", count: 100_000)

  @Test("a message repeats only the beginning of a long name", arguments: [long, tower])
  func bounded(name: String) throws {
    let bodies = [
      #"{"handler":"page","\#(name)":1}"#, #"{"handler":"page","parameters":{"\#(name)":1}}"#,
      #"{"handler":"page","parameters":{"\#(name)":{"\#(name)":1}}}"#,
    ]
    for body in bodies {
      let problem = #expect(throws: CallRefusal.self) {
        try Submission(body: Array(body.utf8), now: WallTime(millisecondsSinceEpoch: 0))
      }?.problem
      let field = try #require(problem?.field)
      #expect(field.contains("…"))
      #expect(field.unicodeScalars.count < 200)
      #expect(try #require(problem?.message).unicodeScalars.count < 500)
    }
  }

  @Test("a name of 80 scalars is repeated in full, a longer one is cut and marked")
  func shortened() {
    let fits = String(repeating: "x", count: 80)
    #expect(fits.shortened == fits)
    #expect((fits + "y").shortened == fits + "…")
    #expect(Self.tower.shortened.unicodeScalars.count == 81)
  }
}
