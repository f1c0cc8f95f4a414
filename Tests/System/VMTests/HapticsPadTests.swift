import Foundation
import Glibc
import Haptics
import Testing
import Timeline
import TouchgateAPI
import VirtualVibrator

extension VMTests {
  /// The kernel itself keeps the time of these pulses.
  @Suite("Haptics: a gamepad on hid-microsoft and ff-memless")
  struct HapticsPadTests {
    @Test("pulses and gaps come as long and as strong as asked, to the kernel's jiffies")
    func timing() throws {
      let pad = try VirtualPad()
      defer { pad.unplug() }
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: "Virtual Pad"))
      for kind in FeedbackKind.allCases {
        let asked = PatternTable()[kind].pulses
        var made: [VirtualPad.Pulse] = []
        // The report of a level has its time when this process reads it: on a busy machine now and then too late.
        for _ in 0..<5 {
          _ = try bench.playFelt(kind) { pad.forget() }
          let isOver = eventually { pad.pulses.count { $0.length != nil } == asked.count }
          try #require(isOver, "\(kind): \(pad.levels)")
          made = pad.pulses
          usleep(100_000)
          if zip(asked, made).allSatisfy({ error($0, $1, from: made[0].start) < 15 }) { break }
        }
        var line = "\(kind):"
        for (pulse, real) in zip(asked, made) {
          #expect(error(pulse, real, from: made[0].start) < 25, "\(kind): \(real)")
          #expect(abs(Double(real.percent) - pulse.strength * 100) <= 1)
          line += " asked \(pulse.length) ms @ \(pulse.strength) at \(pulse.delay) ms,"
          line += " made \((real.length ?? .zero).inMilliseconds) ms @ \(real.percent) %"
          line += " at \((real.start - made[0].start).inMilliseconds) ms;"
        }
        print(line)
      }
      Tally.tell(kinds: 7, plays: 7, ran: 7, of: 7)
    }

    /// How far the worse of beginning and length is from what was asked, in milliseconds.
    private func error(_ pulse: Pattern.Pulse, _ real: VirtualPad.Pulse, from start: Instant) -> Double {
      max(
        abs((real.start - start).inMilliseconds - Double(pulse.delay)),
        abs((real.length ?? .zero).inMilliseconds - Double(pulse.length)))
    }

    /// A service whose pulse of 500 ms has begun.
    private func inMidPattern(_ pad: VirtualPad) throws -> HapticsBench {
      let bench = try HapticsBench(haptics: "Heavy=500@1")
      try #require(try bench.isReady(device: "Virtual Pad"))
      _ = try bench.playFelt(.heavy)
      try #require(eventually { pad.levels.last?.percent == 100 })
      return bench
    }

    @Test("the service is killed in mid-pattern: the motor is off")
    func killed() throws {
      let pad = try VirtualPad()
      defer { pad.unplug() }
      let bench = try inMidPattern(pad)
      bench.service.kill(SIGKILL)
      #expect(eventually { pad.levels.last?.percent == 0 })
      let pulse = try #require(pad.pulses.first)
      #expect(try #require(pulse.length) < .milliseconds(400))
      print("killed in mid-pulse: off after \((pulse.length ?? .zero).inMilliseconds) of 500 ms")
    }

    @Test("the service is stopped in mid-pattern: the motor is off, and what was asked for has been answered")
    func stopped() throws {
      let pad = try VirtualPad()
      defer { pad.unplug() }
      let bench = try inMidPattern(pad)
      #expect(bench.service.kill(SIGTERM) == 0)
      #expect(eventually { pad.levels.last?.percent == 0 })
      #expect(try #require(pad.pulses.first?.length) < .milliseconds(400))
    }

    @Test("pulses that overlap do not add up: the old one is stopped first")
    func overlapping() throws {
      let pad = try VirtualPad()
      defer { pad.unplug() }
      let bench = try HapticsBench(haptics: "LeadMs=0\nLight=300@0.4\nMedium=300@0.5")
      try #require(try bench.isReady(device: "Virtual Pad"))
      _ = try bench.playFelt(.light)
      try #require(eventually { pad.levels.last?.percent == 40 })
      _ = try bench.playFelt(.medium)
      #expect(eventually { pad.levels.last?.percent == 50 })
      #expect(eventually { pad.levels.last?.percent == 0 })
      #expect(Set(pad.levels.map(\.percent)).isSubset(of: [0, 40, 50]), "\(pad.levels)")
    }
  }
}
