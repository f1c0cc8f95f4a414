import Foundation
import Glibc
import Haptics
import Testing
import Timeline
import TouchgateAPI
import VirtualVibrator

extension VMTests {
  @Suite("Haptics: a virtual vibrator")
  struct HapticsDeviceTests {
    @Test("each of the seven kinds: prepare, 0.1 s, pulse, action, each once")
    func seven() throws {
      let bench = try HapticsBench()
      var worst = Duration.zero
      for kind in FeedbackKind.allCases {
        worst = max(worst, try skew(of: kind, bench))
      }
      Tally.tell(kinds: 7, plays: 7, ran: 7, of: 7, skew: worst)
    }

    /// Plays one kind on a fresh device, until it is felt: on a busy machine a call may be silent.
    private func felt(_ kind: FeedbackKind, _ bench: HapticsBench) throws -> (HapticsBench.Call, VirtualVibrator) {
      for _ in 0..<30 {
        let device = try VirtualVibrator("Tapper")
        try #require(try bench.isReady(device: "Tapper"))
        let call = try bench.play(kind)
        if call.reply.silentBecause == nil { return (call, device) }
        device.unplug()
      }
      throw NeverFelt(kind: kind)
    }

    private struct NeverFelt: Error { let kind: FeedbackKind }

    /// One kind on a fresh device; returns from pulse to action.
    private func skew(of kind: FeedbackKind, _ bench: HapticsBench) throws -> Duration {
      let pulses = PatternTable()[kind].pulses.count
      let (felt, device) = try felt(kind, bench)
      // All plays are in one write; the test sees them a little later than the service.
      try #require(eventually { device.events.plays.count >= pulses })
      let events = device.events
      device.unplug()
      try #require(try bench.isReady(device: nil))
      let prepared = try #require(events.uploads.first, "\(kind) was not prepared")
      let pulse = try #require(events.plays.first)
      let lead = felt.answered - felt.asked
      let skew = Duration.nanoseconds(Int64(try #require(felt.reply.skewMs) * 1e6))
      print(
        "\(kind): prepared \((prepared.at - felt.asked).inMilliseconds) ms after the call, pulse "
          + "\((pulse.at - prepared.at).inMilliseconds) ms after that, action \(skew.inMilliseconds) ms after the pulse"
      )
      let order = events.map(\.event)
      let lastUpload = try #require(order.lastIndex { if case .upload = $0 { true } else { false } })
      let firstPlay = try #require(order.firstIndex { if case .play = $0 { true } else { false } })
      #expect(lastUpload < firstPlay, "prepared, then played")
      #expect(events.uploads.count == pulses && events.plays.count == pulses, "each pulse once")
      #expect(lead >= .milliseconds(100) && pulse.at - felt.asked >= .milliseconds(100), "the lead: \(lead)")
      #expect(felt.reply.prepareMs != nil && skew >= .zero, "the action follows the pulse")
      return skew
    }

    @Test("without a device all seven are answered at once, and status gives the reason")
    func without() throws {
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: nil))
      #expect(try bench.silentBecause() == "no device has force feedback")
      for kind in FeedbackKind.allCases {
        _ = try bench.playAtOnce(kind)
      }
      let warnings = try bench.service.status().warnings
      #expect(!warnings.contains { $0.contains("haptics") }, "a machine without haptics: \(warnings)")
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(bench.service.pid)/task")
      #expect(threads.count == 1, "no thread without a device")
    }

    @Test(
      "each kind is uploaded and played as the pattern table says", arguments: [PatternTable.Profile.motor, .crisp])
    func table(_ profile: PatternTable.Profile) throws {
      let vibrator = try VirtualVibrator("Tapper")
      defer { vibrator.unplug() }
      let bench = try HapticsBench(haptics: "LeadMs=0\nStrength=0.5\nProfile=\(profile.rawValue)")
      try #require(try bench.isReady(device: "Tapper"))
      var calls: [FeedbackKind: Int] = [:]
      for kind in FeedbackKind.allCases {
        let before = bench.calls
        _ = try bench.playFelt(kind)
        calls[kind] = bench.calls - before
        // The next call must not find it still sounding.
        hold(for: .milliseconds(PatternTable(profile)[kind].length + 60))
      }
      // A call that was silent because this machine was late may have been played, or not: once at most.
      func expected(_ kind: FeedbackKind) -> [[Int]] {
        PatternTable(profile)[kind].pulses.map { [Int(($0.strength * 32767.5).rounded()), $0.length, $0.delay] }
      }
      func played(_ kind: FeedbackKind) -> Int { vibrator.events.patterns.count { $0 == expected(kind) } }
      for kind in FeedbackKind.allCases {
        #expect(eventually { played(kind) >= 1 }, "\(kind): \(vibrator.events.patterns)")
        #expect(played(kind) <= calls[kind] ?? 0, "\(kind)")
      }
      let events = vibrator.events
      let all = FeedbackKind.allCases.map(expected)
      #expect(events.patterns.allSatisfy(all.contains), "nothing else was played: \(events.patterns)")
      let uploads = events.uploads.map(\.event).compactMap { event in
        if case .upload(_, true, let magnitude, let length, let delay) = event {
          [magnitude, length, delay]
        } else {
          nil
        }
      }
      #expect(uploads == all.flatMap { $0 }, "each once, in the order of the calls")
      #expect(events.map(\.event).contains(.gain(0xffff)))
    }

    @Test("a thousand plays use one set of effects, uploaded once, and every call is answered once")
    func thousand() throws {
      let vibrator = try VirtualVibrator("Tapper")
      defer { vibrator.unplug() }
      let bench = try HapticsBench(haptics: "LeadMs=0")
      try #require(try bench.isReady(device: "Tapper"))
      var felt: [FeedbackKind] = []
      var calls = 0
      var reasons: [String: Int] = [:]
      var worst = Duration.zero
      // On a machine that is busy with other things, a motor may be late by more than 15 ms; then the call was silent.
      while felt.count < 1000 && calls < 20_000 {
        let kind = FeedbackKind.allCases[felt.count % 7]
        let call = try bench.play(kind)
        calls += 1
        if let reason = call.reply.silentBecause { reasons[reason, default: 0] += 1 } else { felt.append(kind) }
        worst = max(worst, .nanoseconds(Int64((call.reply.skewMs ?? 0) * 1e6)))
      }
      print("\(felt.count) plays in \(calls) calls; silent: \(reasons)")
      try #require(felt.count == 1000)
      let least = felt.reduce(0) { $0 + PatternTable()[$1].pulses.count }
      #expect(eventually { vibrator.events.plays.count >= least })
      let ids = Set(vibrator.events.compactMap { if case .play(let id) = $0.event { id } else { nil } })
      #expect(ids == Set(0..<11))
      #expect(vibrator.events.uploads.count == 11)
      #expect(vibrator.events.allSatisfy { if case .erase = $0.event { false } else { true } })
      Tally.tell(kinds: 7, plays: 1000, ran: calls, of: calls, skew: worst)
    }

    @Test("a device with one slot plays the first pulse of each kind, and every call is answered")
    func oneSlot() throws {
      let vibrator = try VirtualVibrator("Narrow", slots: 1)
      defer { vibrator.unplug() }
      let bench = try HapticsBench(haptics: "LeadMs=0")
      try #require(try bench.isReady(device: "Narrow"))
      for round in 0..<3 {
        for kind in FeedbackKind.allCases {
          _ = try bench.playFelt(kind)
          #expect(eventually { vibrator.events.plays.count > round * 7 })
        }
      }
      #expect(eventually { vibrator.events.plays.count >= 21 })
      #expect(vibrator.events.plays.allSatisfy { $0.event == .play(id: 0) })
    }

    @Test("a device with FF_PERIODIC only gets periodic effects")
    func periodic() throws {
      let vibrator = try VirtualVibrator("Wave", codes: [0x51, 0x5a])
      defer { vibrator.unplug() }
      let bench = try HapticsBench(haptics: "LeadMs=0")
      try #require(try bench.isReady(device: "Wave"))
      _ = try bench.playFelt(.heavy)
      try #require(eventually { !vibrator.events.plays.isEmpty })
      let upload = try #require(vibrator.events.uploads.first)
      #expect(upload.event == .upload(id: 0, rumble: false, magnitude: 0x7fff, length: 60, delay: 0))
    }

    @Test("of two devices none is used unless Device= names one; then only that one")
    func twoDevices() throws {
      let one = try VirtualVibrator("One", product: 1)
      let two = try VirtualVibrator("Two", product: 2)
      defer { two.unplug() }
      let bench = try HapticsBench()
      try settleUdev()
      try bench.service.catchUp()
      #expect(try bench.silentBecause()?.contains("several devices: One") == true)
      _ = try bench.playAtOnce(.light)

      let named = try HapticsBench(haptics: "LeadMs=0\nDevice=id:1209:0002")
      try #require(try named.isReady(device: "Two"))
      _ = try named.playFelt(.light)
      #expect(eventually { !two.events.plays.isEmpty })
      #expect(one.events == [])

      one.unplug()
      #expect(try bench.isReady(device: "Two"), "now it is the only one")
      _ = try bench.playFelt(.light)
    }

    @Test("a device unplugged between prepare and pulse: the action runs once, and a new device takes over")
    func unpluggedBeforeThePulse() throws {
      let bench = try HapticsBench()
      // On a busy machine it may be unplugged only after the pulse.
      var isBetween = false
      for _ in 0..<20 where !isBetween {
        let vibrator = try VirtualVibrator("Loose")
        try #require(try bench.isReady(device: "Loose"))
        let puller = Thread {
          _ = eventually { !vibrator.events.uploads.isEmpty }
          hold(for: .milliseconds(30))
          vibrator.unplug()
        }
        puller.start()
        let call = try bench.play(.heavy)
        try #require(eventually { puller.isFinished })
        isBetween = !vibrator.events.uploads.isEmpty && vibrator.events.plays.isEmpty && call.took > .milliseconds(25)
        #expect(!vibrator.events.plays.isEmpty || call.reply.silentBecause != nil)
        try #require(try bench.isReady(device: nil))
        _ = try bench.playAtOnce(.heavy)
      }
      #expect(isBetween)
    }

    @Test("a device unplugged in mid-pulse: the action runs once, and the next ones at once")
    func unpluggedInMidPulse() throws {
      let bench = try HapticsBench()
      let vibrator = try VirtualVibrator("Loose")
      try #require(try bench.isReady(device: "Loose"))
      _ = try bench.playFelt(.error)
      hold(for: .milliseconds(60))
      vibrator.unplug()
      try #require(try bench.isReady(device: nil))
      _ = try bench.playAtOnce(.heavy)
    }

    @Test("without permission the action runs at once, and status says what to do until udev changes the rights")
    func noPermission() throws {
      let rules = try UdevRules()
      let vibrator = try VirtualVibrator("Locked")
      defer { vibrator.unplug() }
      let bench = try HapticsBench()
      bench.service.kill(SIGTERM)
      try bench.service.start(as: "nobody")
      try #require(try bench.isReady(device: "Locked"))
      // The first call finds out; if this machine is late, it says that there was no answer in time.
      let isRefused = { (call: HapticsBench.Call) in
        call.reply.silentBecause?.contains("Permission denied") == true && call.took < .milliseconds(50)
      }
      _ = try bench.play(.light, until: isRefused)
      #expect(try bench.silentBecause()?.contains("group 'input'") == true)
      #expect(try bench.service.status().warnings.contains { $0.contains("haptics are silent") })

      // A change that changes nothing: the reason stays.
      let change = ["trigger", "--action=change", vibrator.node]
      _ = try Run("/usr/bin/udevadm", change)
      try settleUdev()
      try bench.service.catchUp()
      #expect(try bench.silentBecause()?.contains("Permission denied") == true)
      _ = try bench.play(.light, until: isRefused)

      // Udev changes its rights: it is tried again.
      try rules.set("SUBSYSTEM==\"input\", ATTRS{name}==\"Locked\", MODE=\"0666\"")
      _ = try Run("/usr/bin/udevadm", change)
      try settleUdev()
      _ = try bench.playFelt(.light)
    }

    @Test("with a device that refuses every effect the action runs at once, and status gives the reason")
    func refusing() throws {
      let vibrator = try VirtualVibrator("Stubborn", manner: .refuse(EIO))
      defer { vibrator.unplug() }
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: "Stubborn"))
      // The lead of 100 ms is not waited for.
      _ = try bench.playAtOnce(.light)
      #expect(try bench.silentBecause()?.contains("refused an effect") == true)
    }

    @Test("with a read-only device node the action runs at once, and the answer gives the reason")
    func readOnly() throws {
      let vibrator = try VirtualVibrator("Readable")
      defer { vibrator.unplug() }
      let bench = try HapticsBench()
      bench.service.kill(SIGTERM)
      try settleUdev()
      chmod(vibrator.node, 0o444)
      try bench.service.start(as: "nobody")
      try #require(try bench.isReady(device: "Readable"))
      _ = try bench.play(.light) { $0.reply.silentBecause?.contains("must be writable") == true }
    }
  }
}
