import Testing
import Timeline
import TouchgateAPI

@testable import Service

@Suite("Names of any length in requests")
struct LongNameTests {
  static let long = String(repeating: "x", count: 100_000)
  /// One character, as people count, of a hundred thousand scalars.
  static let tower = "x" + String(repeating: "\u{301}", count: 100_000)

  @Test("a refusal repeats no more than the beginning of a name", arguments: [long, tower])
  func bounded(name: String) throws {
    let bodies = [
      #"{"handler":"page","\#(name)":1}"#, #"{"handler":"page","parameters":{"\#(name)":1}}"#,
      #"{"handler":"page","parameters":{"\#(name)":{"\#(name)":1}}}"#,
    ]
    for body in bodies {
      let problem = #expect(throws: Problem.self) {
        try Submission(body: Array(body.utf8), now: WallTime(millisecondsSinceEpoch: 0))
      }
      let field = try #require(problem?.field)
      #expect(field.contains("…"))
      #expect(field.unicodeScalars.count < 200)
      #expect(try #require(problem?.message).unicodeScalars.count < 500)
    }
  }

  @Test("a name of 80 scalars is repeated whole, a longer one with a sign that it goes on")
  func shortened() {
    let fits = String(repeating: "x", count: 80)
    #expect(fits.shortened == fits)
    #expect((fits + "y").shortened == fits + "…")
    #expect(Self.tower.shortened.unicodeScalars.count == 81)
  }
}
