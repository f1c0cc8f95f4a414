import Foundation
import Glibc
import Haptics
import Testing
import Timeline
import TouchgateAPI
import VirtualVibrator

extension VMTests {
  @Suite("Haptics: the service beside a vibrator that another process answers")
  struct HapticsDeviceTests {
    @Test("seven feedback calls, each with a mandatory action: prepare, 0.1 s, pulse and action")
    func seven() throws {
      let bench = try HapticsBench()
      var worst = Duration.zero
      for kind in FeedbackKind.allCases {
        worst = max(worst, try seen(kind, bench))
      }
      Tally.tell(kinds: 7, plays: 7, ran: 7, of: 7, skew: worst)
    }

    /// One kind on a fresh device; returns from pulse to action.
    private func seen(_ kind: FeedbackKind, _ bench: HapticsBench) throws -> Duration {
      var call: HapticsBench.Call?
      var events: [VirtualVibrator.Stamped] = []
      for _ in 0..<10 {
        let vibrator = try VirtualVibrator("Tapper")
        try #require(try bench.isReady(device: "Tapper"))
        call = try bench.play(kind)
        // All plays are in one write; what comes after the answer is seen a little later.
        let pulses = PatternTable()[kind].pulses
        let isComplete = eventually(within: .seconds(1)) { vibrator.events.plays.count == pulses.count }
        events = vibrator.events
        vibrator.unplug()
        try #require(try bench.isReady(device: nil))
        // A machine that is busy with other things may be late; then it is silent, and tried again.
        if isComplete && call?.reply.silentBecause == nil { break }
      }
      let felt = try #require(call)
      #expect(felt.reply.silentBecause == nil)
      let prepared = try #require(events.uploads.first, "\(kind) was not prepared")
      let pulse = try #require(events.plays.first)
      let lead = pulse.at - prepared.at
      let skew = felt.answered - pulse.at
      print(
        "\(kind): prepared \((prepared.at - felt.asked).inMilliseconds) ms after the call, pulse \(lead.inMilliseconds) ms "
          + "after that, action \(skew.inMilliseconds) ms after the pulse")
      #expect(prepared.at - felt.asked < .milliseconds(50), "\(kind): prepared at once")
      #expect(lead > .milliseconds(80) && lead < .milliseconds(120), "\(kind): pulse after \(lead)")
      #expect(skew < .milliseconds(30) && felt.answered > prepared.at)
      return max(skew, .zero)
    }

    @Test("without a device all seven are answered at once, and status says why")
    func without() throws {
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: nil))
      #expect(try bench.silentBecause() == "no device has force feedback")
      for kind in FeedbackKind.allCases {
        let call = try bench.play(kind)
        #expect(call.took < .milliseconds(50), "\(kind): \(call.took)")
        #expect(call.reply.silentBecause != nil)
      }
      #expect(try bench.service.status().warnings == [], "a machine without haptics is not told so")
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(bench.service.pid)/task")
      #expect(threads.count == 1, "no thread without a device")
    }

    @Test("each kind's uploads and plays are the table's", arguments: [PatternTable.Profile.motor, .crisp])
    func table(_ profile: PatternTable.Profile) throws {
      let vibrator = try VirtualVibrator("Tapper")
      defer { vibrator.unplug() }
      let bench = try HapticsBench(haptics: "LeadMs=0\nStrength=0.5\nProfile=\(profile.rawValue)")
      try #require(try bench.isReady(device: "Tapper"))
      for kind in FeedbackKind.allCases {
        let pulses = PatternTable(profile)[kind].pulses
        _ = try bench.playFelt(kind)
        try #require(eventually { vibrator.events.plays.count >= pulses.count })
        let events = vibrator.events.map(\.event)
        let uploads = events.compactMap { event in
          if case .upload(_, true, let magnitude, let length, let delay) = event {
            [magnitude, length, delay]
          } else {
            nil
          }
        }
        // A call that came too late on a busy machine may have uploaded them before; the same ones, then.
        let expected = pulses.map { [Int(($0.strength * 32767.5).rounded()), $0.length, $0.delay] }
        #expect(Array(uploads.suffix(pulses.count)) == expected && Set(uploads) == Set(expected), "\(kind)")
        let ids = events.compactMap { if case .upload(let id, _, _, _, _) = $0 { id } else { nil } }
        let played = events.compactMap { if case .play(let id) = $0 { id } else { nil } }
        #expect(played.suffix(pulses.count) == ids.suffix(pulses.count))
        #expect(events.contains(.gain(0xffff)))
        vibrator.forget()
        // The next call must not find it still sounding.
        usleep(UInt32(PatternTable(profile)[kind].length + 60) * 1000)
      }
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

    @Test("a device that speaks FF_PERIODIC only is spoken to in that")
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

    @Test("of two devices none is taken unless one is named; the named one is, and no other in its place")
    func twoDevices() throws {
      let one = try VirtualVibrator("One", product: 1)
      let two = try VirtualVibrator("Two", product: 2)
      defer { two.unplug() }
      let bench = try HapticsBench()
      #expect(try eventually { try bench.silentBecause()?.contains("several: One") == true })
      #expect(try bench.play(.light).took < .milliseconds(50))

      let named = try HapticsBench(haptics: "LeadMs=0\nDevice=id:1209:0002")
      try #require(try named.isReady(device: "Two"))
      _ = try named.playFelt(.light)
      #expect(eventually { !two.events.plays.isEmpty })
      #expect(one.events == [])

      one.unplug()
      #expect(try bench.isReady(device: "Two"), "now it is the only one")
      _ = try bench.playFelt(.light)
    }

    @Test("unplugged between prepare and pulse, and in mid-pulse: the action once, and a new device takes over")
    func unplugged() throws {
      let bench = try HapticsBench()
      for round in 0..<2 {
        let vibrator = try VirtualVibrator("Loose")
        try #require(try bench.isReady(device: "Loose"))
        if round == 0 {
          let puller = Thread {
            _ = eventually { !vibrator.events.uploads.isEmpty }
            usleep(30_000)
            vibrator.unplug()
          }
          puller.start()
          let call = try bench.play(.heavy)
          #expect(call.took > .milliseconds(25) && call.took < .milliseconds(150), "\(call.took)")
          #expect(call.reply.silentBecause != nil)
        } else {
          _ = try bench.playFelt(.error)
          usleep(60_000)
          vibrator.unplug()
        }
        try #require(try bench.isReady(device: nil))
        #expect(try bench.play(.heavy).took < .milliseconds(50))
      }
    }

    @Test("no permission: the action at once, status and warnings say what to do")
    func noPermission() throws {
      let vibrator = try VirtualVibrator("Locked")
      defer { vibrator.unplug() }
      let bench = try HapticsBench()
      bench.service.kill(SIGTERM)
      try bench.service.start(as: "nobody")
      #expect(try eventually { try bench.service.status().haptics?.device == "Locked" })
      // The first call finds out.
      let call = try bench.play(.light)
      #expect(call.took < .milliseconds(50) && call.reply.silentBecause?.contains("Permission denied") == true)
      #expect(try bench.silentBecause()?.contains("group 'input'") == true)
      #expect(try bench.service.status().warnings.contains { $0.contains("haptics are silent") })
      #expect(try bench.play(.light).took < .milliseconds(50))

      // udev's next word about it: tried again.
      chmod(vibrator.node, 0o666)
      _ = try Run("/usr/bin/udevadm", ["trigger", "--action=change", vibrator.node])
      chmod(vibrator.node, 0o666)
      let isFelt = try eventually {
        chmod(vibrator.node, 0o666)
        return try bench.play(.light).reply.silentBecause == nil
      }
      #expect(isFelt)
    }

    @Test("a device that refuses every effect: the action at once, and the reason")
    func refusing() throws {
      let vibrator = try VirtualVibrator("Stubborn", manner: .refuse(EIO))
      defer { vibrator.unplug() }
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: "Stubborn"))
      #expect(try bench.play(.light).took < .milliseconds(100), "the lead is not waited for")
      #expect(try bench.silentBecause()?.contains("takes no effect") == true)
    }

    @Test("a device node that may only be read: the action at once, and the reason")
    func readOnly() throws {
      let vibrator = try VirtualVibrator("Readable")
      defer { vibrator.unplug() }
      let bench = try HapticsBench()
      bench.service.kill(SIGTERM)
      chmod(vibrator.node, 0o444)
      try bench.service.start(as: "nobody")
      chmod(vibrator.node, 0o444)
      #expect(try eventually { try bench.service.status().haptics?.device == "Readable" })
      #expect(try bench.play(.light).reply.silentBecause?.contains("must be writable") == true)
    }
  }
}
