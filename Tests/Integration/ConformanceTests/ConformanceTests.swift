import Glibc
import Seeded
import Testing

@Suite("conformance")
struct ConformanceTests {
  /// From the environment: the least number of faults, the seed, and the only trial to run. `make test` always uses the
  /// same seed, `make conformance` another one each time.
  private static let faults = number("CONFORMANCE_FAULTS") ?? 20_000
  private static let seed = UInt64(number("CONFORMANCE_SEED") ?? 20_261_130)
  private static let onlyTrial = number("CONFORMANCE_TRIAL")

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }

  @Test("all recordings, clean and with injected faults: no wrong verdict, every stream ends idle, begins equal ends")
  func allRecordings() {
    let sets = StreamSets()
    #expect(sets.present.contains("own"))
    for defect in sets.defects { Issue.record("this recording cannot be played: \(defect)") }
    var wrong = 0
    if Self.onlyTrial == nil { wrong += playClean(sets) }
    let (injected, wrongWithFaults) = playWithFaults(sets)
    wrong += wrongWithFaults
    let absent = sets.absent.isEmpty ? "none" : sets.absent.joined(separator: ", ")
    print("conformance: seed \(Self.seed); of the streams \(sets.recordings) as recorded, the others derived from them")
    print(
      "conformance: \(sets.streams.count) streams, \(injected) faults, \(wrong) wrong; sets not present: \(absent)")
    #expect(wrong == 0)
    #expect(injected >= Self.faults || Self.onlyTrial != nil)
  }

  private func playClean(_ sets: StreamSets) -> Int {
    var wrong = 0
    for stream in sets.streams {
      let trial = Trial(Plan(clean: stream))
      trial.run()
      if trial.begins == 0 { trial.fail("no contact in it") }
      guard let what = trial.wrong else { continue }
      wrong += 1
      print("wrong verdict: \(stream.name), without faults, \(what)")
    }
    return wrong
  }

  private func playWithFaults(_ sets: StreamSets) -> (injected: Int, wrong: Int) {
    var (injected, wrong) = (0, 0)
    var index = Self.onlyTrial ?? 0
    while injected < Self.faults {
      let plan = Self.plan(index, sets)
      let trial = Trial(plan)
      trial.run()
      injected += trial.injected
      if trial.wrong != nil {
        wrong += 1
        if wrong <= 5 { explain(plan, index) }
      }
      if Self.onlyTrial != nil { break }
      index += 1
    }
    return (injected, wrong)
  }

  private static func plan(_ index: Int, _ sets: StreamSets) -> Plan {
    var random = SplitMix64(seed: seed &+ UInt64(index) &* 0x1_0000_0001)
    return Plan(sets.streams[index % sets.streams.count], seed: random.next())
  }

  /// Prints the trial with as few faults as still give a wrong verdict, and its last steps.
  private func explain(_ plan: Plan, _ index: Int) {
    let least = plan.leastThatFails()
    let trial = Trial(least, traces: true)
    trial.run()
    print("wrong verdict: \(plan.stream.name), CONFORMANCE_SEED=\(Self.seed) CONFORMANCE_TRIAL=\(index)")
    for (frame, fault) in least.faults { print("  fault at frame \(frame): \(fault)") }
    print("  ending: \(least.ending)")
    if let wrong = trial.wrong { print("  \(wrong)") }
    for line in trial.trace.suffix(60) { print("    \(line)") }
  }
}

extension Plan {
  /// A plan with fewer faults and frames that still gives a wrong verdict.
  func leastThatFails() -> Plan {
    func fails(_ plan: Plan) -> Trial.WrongVerdict? {
      let trial = Trial(plan)
      trial.run()
      return trial.wrong
    }
    var least = self
    guard let wrong = fails(self) else { return self }
    least.frameCount = min(frameCount, wrong.frame - firstFrame + 1)
    if fails(least) == nil { least = self }
    var index = least.faults.count - 1
    while index >= 0 {
      var fewer = least
      fewer.faults.remove(at: index)
      if fails(fewer) != nil { least = fewer }
      index -= 1
    }
    for _ in 0..<(least.frameCount / Stream.snapshotStep) {
      var shorter = least
      shorter.firstFrame += Stream.snapshotStep
      shorter.frameCount -= Stream.snapshotStep
      shorter.faults.removeAll { $0.frame < shorter.firstFrame }
      if shorter.frameCount > 0, shorter.faults.count == least.faults.count, fails(shorter) != nil { least = shorter }
    }
    return least
  }
}
