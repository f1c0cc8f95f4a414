import Foundation
import Glibc
import Haptics
import Testing
import Timeline
import TouchgateAPI
import VirtualVibrator

extension VMTests {
  /// The kernel times these pulses.
  @Suite("Haptics: a gamepad on hid-microsoft and ff-memless")
  struct HapticsPadTests {
    @Test("pulses and gaps have the requested length and strength, to the kernel's jiffies")
    func timing() throws {
      let pad = try VirtualPad()
      defer { pad.unplug() }
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: "Virtual Pad"))
      for kind in FeedbackKind.allCases {
        let asked = PatternTable()[kind].pulses
        var made: [VirtualPad.Pulse] = []
        // The report of a level has its time when this process reads it: too late now and then, if the machine is busy.
        for _ in 0..<30 {
          _ = try bench.playFelt(kind) { pad.forget() }
          let isOver = eventually { pad.pulses.count { $0.length != nil } == asked.count }
          try #require(isOver, "\(kind): \(pad.levels)")
          made = pad.pulses
          hold(for: .milliseconds(100))
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

    /// The larger error of start and length, in milliseconds.
    private func error(_ pulse: Pattern.Pulse, _ real: VirtualPad.Pulse, from start: Instant) -> Double {
      max(
        abs((real.start - start).inMilliseconds - Double(pulse.delay)),
        abs((real.length ?? .zero).inMilliseconds - Double(pulse.length)))
    }

    /// Ends a service with a signal while a pulse of 500 ms sounds; returns how long it sounded. On a busy machine the
    /// signal may come too late, so it is tried a few times.
    private func endInMidPulse(_ signal: Int32, status: Int32) throws -> Duration {
      var length = Duration.zero
      for _ in 0..<20 {
        let pad = try VirtualPad()
        defer { pad.unplug() }
        let bench = try HapticsBench(haptics: "Heavy=500@1")
        try #require(try bench.isReady(device: "Virtual Pad"))
        _ = try bench.playFelt(.heavy) { pad.forget() }
        try #require(eventually { pad.pulses.last?.percent == 100 })
        #expect(bench.service.kill(signal) == status)
        try #require(eventually { pad.levels.last?.percent == 0 }, "the motor is off")
        length = try #require(pad.pulses.last?.length)
        if length < .milliseconds(400) { break }
      }
      return length
    }

    @Test("killing the service in mid-pulse turns the motor off")
    func killed() throws {
      let length = try endInMidPulse(SIGKILL, status: SIGKILL)
      #expect(length < .milliseconds(400))
      print("killed in mid-pulse: off after \(length.inMilliseconds) of 500 ms")
    }

    @Test("stopping the service in mid-pulse turns the motor off")
    func stopped() throws {
      #expect(try endInMidPulse(SIGTERM, status: 0) < .milliseconds(400))
    }

    @Test("overlapping pulses do not add up: the old one is stopped first")
    func overlapping() throws {
      let pad = try VirtualPad()
      defer { pad.unplug() }
      let bench = try HapticsBench(haptics: "LeadMs=0\nLight=300@0.4\nMedium=300@0.5")
      try #require(try bench.isReady(device: "Virtual Pad"))
      _ = try bench.playFelt(.light)
      try #require(eventually { pad.levels.contains { $0.percent == 40 } })
      _ = try bench.playFelt(.medium)
      #expect(eventually { pad.levels.contains { $0.percent == 50 } })
      #expect(eventually { pad.levels.last?.percent == 0 })
      #expect(Set(pad.levels.map(\.percent)).isSubset(of: [0, 40, 50]), "\(pad.levels)")
    }
  }
}
