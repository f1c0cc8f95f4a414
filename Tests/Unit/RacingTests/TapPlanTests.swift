import Racing
import Testing

@Suite("The tapper's plan")
struct TapPlanTests {
  @Test("every tap ends with nobody on the glass, no finger lands twice, and a seed determines all")
  func whole() {
    for seed in 0..<20 as Range<UInt64> {
      let steps = Array(TapPlan(seed: seed, fingers: 2).prefix(2000))
      var down: Set<Int> = []
      for step in steps {
        switch step.action {
        case .down(let slot): #expect(down.insert(slot).inserted)
        case .up(let slot): #expect(down.remove(slot) != nil)
        }
        #expect(step.wait >= .zero)
        if step.endsTap { #expect(down.isEmpty) }
      }
      #expect(steps == Array(TapPlan(seed: seed, fingers: 2).prefix(2000)))
    }
    #expect(Array(TapPlan(seed: 1, fingers: 2).prefix(20)) != Array(TapPlan(seed: 2, fingers: 2).prefix(20)))
  }

  @Test("it has bursts faster than 25 taps a second, pauses, and two fingers at once")
  func restless() {
    let steps = Array(TapPlan(seed: 1, fingers: 2).prefix(5000))
    let pauses = steps.filter { $0.wait >= .milliseconds(100) }.count
    let taps = steps.filter(\.endsTap).count
    #expect(pauses > 20)
    #expect(steps.contains { $0.action == .down(slot: 1) })
    #expect(!TapPlan(seed: 1, fingers: 1).prefix(5000).contains { $0.action == .down(slot: 1) })
    let tapping = steps.filter { $0.wait < .milliseconds(100) }.map(\.wait).reduce(.zero, +)
    #expect(tapping / taps < .milliseconds(45), "\(tapping / taps) a tap")
    #expect(tapping / taps > .milliseconds(20), "no more than 50 a second")
  }
}
