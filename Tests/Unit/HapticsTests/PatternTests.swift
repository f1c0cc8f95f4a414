import Haptics
import Testing

@Suite("Patterns")
struct PatternTests {
  @Test(
    "the built-in patterns are those of the table in docs/haptics.md",
    arguments: [
      (FeedbackKind.selection, "20@0.40", "10@0.30"), (.light, "30@0.50", "12@0.45"), (.medium, "40@0.75", "20@0.70"),
      (.heavy, "60@1.00", "30@1.00"), (.success, "30@0.5 g60 40@1.0", "12@0.5 g80 20@1.0"),
      (.warning, "40@0.8 g100 40@0.6", "20@0.8 g110 16@0.6"),
      (.error, "40@0.9 g80 40@0.9 g80 40@0.9", "20@0.9 g90 20@0.9 g90 20@0.9"),
    ])
  func table(_ kind: FeedbackKind, _ motor: String, _ crisp: String) throws {
    #expect(PatternTable(.motor)[kind] == (try Pattern(motor)))
    #expect(PatternTable(.crisp)[kind] == (try Pattern(crisp)))
  }

  @Test("for a motor no pulse is shorter than 20 ms, and all kinds differ even without different strengths")
  func onAndOff() {
    let table = PatternTable(.motor)
    let rhythms = FeedbackKind.allCases.map { table[$0].pulses.map { [$0.delay, $0.length] } }
    #expect(rhythms.joined().allSatisfy { $0[1] >= 20 })
    // Success and warning differ by their gap; selection, light, medium and heavy by length.
    #expect(Set(rhythms).count == 7)
  }

  @Test(
    "a pattern that cannot be played is refused, and the message names what is wrong",
    arguments: [
      ("", "empty"), ("0@0.5", "'0@0.5' must have 10 to 500 ms"), ("501@1", "'501@1' must have"), ("30@0", "strength"),
      ("30@1.1", "strength"), ("30@-0.1", "strength"), ("30@nan", "strength"), ("30", "'30' is not a pulse"),
      ("30@0.5 40@0.5", "a gap such as g60 belongs before '40@0.5'"), ("30@0.5 g0 40@1", "'g0' must have"),
      ("30@0.5 g60", "ends in a gap"), ("30@1 g10 30@1 g10 30@1 g10 30@1 g10 30@1", "has 5 pulses; at most 4"),
      ("400@1 g300 400@1", "takes 1100 ms in all; at most 1000"), ("x@0.5", "'x@0.5' must have"),
      ("99999999999999999999@1", "must have"),
    ])
  func refused(_ text: String, _ words: String) {
    let error = #expect(throws: Pattern.Malformed.self) { try Pattern(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("the start of each pulse is relative to the beginning of the pattern")
  func delays() throws {
    let pattern = try Pattern("10@1  g20\t30@0.5 g40 50@0.25")
    #expect(pattern.pulses.map(\.delay) == [0, 30, 100])
    #expect(pattern.pulses.map(\.length) == [10, 30, 50])
    #expect(pattern.length == 150)
  }
}
