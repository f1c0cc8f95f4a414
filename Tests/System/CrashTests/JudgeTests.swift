import Testing

@Suite("The judge of the crash test")
struct JudgeTests {
  private func begin(_ id: String, _ life: Int = 1, payload: String? = nil) -> HandlerLog.Line {
    .begin(id: id, life: life, attempt: 1, handler: "once", payload: payload ?? id)
  }

  private func end(_ id: String, _ life: Int = 1, _ status: Int = 0) -> HandlerLog.Line {
    .end(id: id, life: life, status: status)
  }

  private func accepted(_ id: String, _ kind: Wanted.Kind = .once, endedAt: Int? = nil) -> Wanted {
    Wanted(id: id, kind: kind, isAccepted: true, endedAt: endedAt)
  }

  private func verdict(_ wanted: [Wanted], _ outcomes: [String: String], _ lines: [HandlerLog.Line]) -> [Int] {
    let judge = Judge(wanted, outcomes.mapValues { Outcome(state: $0) }, HandlerLog(lines))
    return [judge.lost.count, judge.doubled.count, judge.wrong.count]
  }

  @Test("an update applied once is fine, and one never accepted may be missing")
  func good() {
    #expect(verdict([accepted("a")], ["a": "applied"], [begin("a"), end("a")]) == [0, 0, 0])
    #expect(verdict([Wanted(id: "a", kind: .once)], [:], []) == [0, 0, 0])
    #expect(verdict([accepted("a", .fail)], ["a": "failed"], [begin("a"), end("a", 1, 1)]) == [0, 0, 0])
  }

  @Test("an accepted update that is unknown, waits forever, was not applied, or failed without reason is lost")
  func lost() {
    #expect(verdict([accepted("a")], [:], []) == [1, 0, 0])
    #expect(verdict([accepted("a")], ["a": "waiting"], []) == [1, 0, 0])
    #expect(verdict([accepted("a")], ["a": "applied"], []) == [1, 0, 0])
    #expect(verdict([accepted("a")], ["a": "failed"], [begin("a"), end("a")]) == [1, 0, 0])
    #expect(verdict([accepted("a")], ["a": "cancelled"], []) == [1, 0, 0])
    #expect(verdict([accepted("a")], ["a": "superseded"], []) == [1, 0, 0])
  }

  @Test("an update given up after three interruptions is counted, and not lost")
  func givenUp() {
    let judge = Judge([accepted("a")], ["a": Outcome(state: "failed", isGivenUp: true)], HandlerLog([begin("a")]))
    #expect(judge.lost == [] && judge.givenUp == 1)
  }

  @Test("if the history was dropped, an unknown update must have been applied")
  func forgotten() {
    func lost(_ item: Wanted, _ lines: [HandlerLog.Line]) -> Int {
      Judge([item], [:], HandlerLog(lines), historyGivesWay: true).lost.count
    }
    #expect(lost(accepted("a"), []) == 1)
    #expect(lost(accepted("a"), [begin("a")]) == 1)
    #expect(lost(accepted("a"), [begin("a"), end("a")]) == 0)
    #expect(lost(accepted("a", .fail), [begin("a"), end("a", 1, 1)]) == 0)
    #expect(lost(accepted("a", .once), [begin("a"), end("a", 1, 1)]) == 1)
  }

  @Test("twice in one run is a duplicate; twice across a crash is not, if it was the last one started")
  func doubled() {
    let (a, b) = (accepted("a"), accepted("b"))
    #expect(verdict([a], ["a": "applied"], [begin("a"), end("a"), begin("a"), end("a")]) == [0, 1, 0])
    #expect(verdict([a], ["a": "applied"], [begin("a"), end("a"), begin("a", 2), end("a", 2)]) == [0, 0, 0])
    let both = [begin("a"), end("a"), begin("b"), end("b"), begin("a", 2), end("a", 2)]
    #expect(verdict([a, b], ["a": "applied", "b": "applied"], both) == [0, 1, 0])
    #expect(
      verdict([accepted("a", endedAt: 2)], ["a": "applied"], [begin("a"), end("a"), begin("a", 2), end("a", 2)])
        == [0, 1, 0], "a client was told that it had ended")
  }

  @Test("at most once means not twice across a crash either, and a failure then is no loss")
  func atMostOnce() {
    let item = accepted("a", .atMostOnce)
    #expect(verdict([item], ["a": "applied"], [begin("a"), end("a"), begin("a", 2), end("a", 2)]) == [0, 1, 0])
    let outcome = ["a": Outcome(state: "failed", isInterrupted: true)]
    #expect(Judge([item], outcome, HandlerLog([begin("a"), end("a")])).lost == [])
    #expect(Judge([accepted("a")], outcome, HandlerLog([begin("a"), end("a")])).lost.count == 1)
  }

  @Test("failures may be retried as often as the policy allows, and no more")
  func retried() {
    func lines(_ failures: Int) -> [HandlerLog.Line] {
      (0..<failures).flatMap { _ in [begin("a"), end("a", 1, 1)] } + [begin("a"), end("a")]
    }
    #expect(verdict([accepted("a", .retry)], ["a": "applied"], lines(2)) == [0, 0, 0])
    #expect(verdict([accepted("a", .retry)], ["a": "applied"], lines(3)) == [0, 1, 0])
    #expect(verdict([accepted("a", .once)], ["a": "applied"], lines(1)) == [0, 1, 0])
    #expect(
      verdict([accepted("a", .later)], ["a": "applied"], [begin("a"), end("a", 1, 75), begin("a"), end("a")])
        == [0, 0, 0])
  }

  @Test("two handlers at a time, a wrong payload, and an unknown update are faults")
  func wrong() {
    let (a, b) = (accepted("a"), accepted("b"))
    let both = ["a": "applied", "b": "applied"]
    #expect(verdict([a, b], both, [begin("a"), begin("b"), end("a"), end("b")])[2] > 0)
    #expect(verdict([a], both, [begin("a", payload: "-"), end("a")]) == [0, 0, 1])
    #expect(verdict([], [:], [begin("a"), end("a")]) == [0, 0, 1])
  }

  @Test("superseded is fine if the last successor was applied")
  func superseded() {
    let outcomes = [
      "a": Outcome(state: "superseded", successor: "b"), "b": Outcome(state: "superseded", successor: "c"),
      "c": Outcome(state: "applied"),
    ]
    let log = HandlerLog([begin("c"), end("c")])
    let wanted = ["a", "b", "c"].map { accepted($0, .keyed) }
    #expect(Judge(wanted, outcomes, log).lost == [])
    var circle = outcomes
    circle["c"] = Outcome(state: "superseded", successor: "a")
    #expect(Judge(wanted, circle, HandlerLog([])).lost.count == 3)
  }

  @Test("the log is read as the handlers write it, and an incomplete line is an error")
  func reading() throws {
    let log = try HandlerLog(text: "begin a 3 1 once a\nend a 3 75\n")
    #expect(log.lines == [begin("a", 3), end("a", 3, 75)])
    #expect(throws: HandlerLog.Malformed.self) { try HandlerLog(text: "begin a 3 1 once a\nend a") }
  }
}
