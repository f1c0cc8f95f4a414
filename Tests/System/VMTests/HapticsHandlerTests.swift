import Foundation
import Glibc
import Haptics
import Linux
import Testing
import Timeline
import TouchgateAPI
import TouchgateClient
import VirtualTouch
import VirtualVibrator

extension VMTests {
  @Suite("Haptics: handlers and the command")
  struct HapticsHandlerTests {
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC.
    private func offset() -> Int64 {
      Int64(Date().timeIntervalSince1970 * 1e9) - SystemClock.monotonic.nanoseconds
    }

    @Test(
      "FeedbackOnApply= is prepared while the update waits: pulse and handler start at the release; FeedbackOnFail= plays if it fails"
    )
    func onApply() throws {
      let vibrator = try VirtualVibrator("Tapper")
      defer { vibrator.unplug() }
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let bench = try HapticsBench()
      try bench.stampingHandler("felt", more: "FeedbackOnApply=success")
      try bench.stampingHandler("fails", exit: 1, more: "FeedbackOnFail=error")
      bench.service.kill(SIGTERM)
      try bench.service.start()
      try #require(try bench.isReady(device: "Tapper") && bench.service.knows(screens: 1))

      // On a machine that is busy with other things the pulse may be left out, or come later than it has to.
      var starts = 0
      var release = SystemClock.monotonic
      var (pulse, skew) = (Duration.zero, Duration.zero)
      repeat {
        vibrator.forget()
        screen.down(slot: 0, x: 0.5, y: 0.5)
        try #require(try bench.service.sees(1))
        let id = try bench.service.submit("felt")
        if starts == 0 { #expect(eventually { vibrator.events.uploads.count == 2 }, "prepared while it waits") }
        #expect(vibrator.events.plays.isEmpty)
        release = SystemClock.monotonic
        screen.up(slot: 0)
        #expect(try bench.service.end(id)?.state == "applied")
        starts += 1
        if eventually(within: .seconds(1), { vibrator.events.plays.count == 2 }) {
          let first = try #require(vibrator.events.plays.first).at
          let stamp = try #require(bench.stamps("felt").last)
          (pulse, skew) = (first - release, .nanoseconds(stamp - offset() - first.nanoseconds))
        }
        // A pulse with a lead could not come within 60 ms.
      } while !(pulse > .zero && pulse < .milliseconds(60) && skew > .milliseconds(-5)) && starts < 30
      print(
        "FeedbackOnApply: pulse \(pulse.inMilliseconds) ms after the release, the handler's program "
          + "\(skew.inMilliseconds) ms after the pulse (of which starting a shell), at attempt \(starts)")
      #expect(pulse > .zero && pulse < .milliseconds(60), "no lead")
      #expect(skew > .milliseconds(-5), "pulse first, then the handler")
      #expect(bench.stamps("felt").count == starts, "each ran once")

      var failed = 0
      repeat {
        vibrator.forget()
        let failing = try bench.service.submit("fails")
        #expect(try bench.service.end(failing)?.state == "failed")
        failed += 1
      } while !eventually(within: .seconds(1), { vibrator.events.plays.count == 3 }) && failed < 30
      #expect(vibrator.events.plays.count == 3, "error has three pulses")
      #expect(bench.stamps("fails").count == failed)
      Tally.tell(plays: 2, ran: bench.stamps("felt").count + bench.stamps("fails").count, of: starts + failed)
    }

    @Test(
      "a handler starts once whatever the device does: none, refusing, not answering, unplugged while the update waits")
    func exactlyOnce() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      for manner in [nil, .answer, .refuse(EIO), .silence] as [VirtualVibrator.Manner?] {
        let bench = try HapticsBench()
        try bench.stampingHandler("felt", more: "FeedbackOnApply=heavy")
        bench.service.kill(SIGTERM)
        try bench.service.start()
        let vibrator = try manner.map { try VirtualVibrator("Tapper", manner: $0) }
        try #require(try bench.isReady(device: manner == nil ? nil : "Tapper") && bench.service.knows(screens: 1))
        for round in 0..<2 {
          screen.down(slot: 0, x: 0.5, y: 0.5)
          try #require(try bench.service.sees(1))
          let id = try bench.service.submit("felt")
          if round == 1 { vibrator?.unplug() }
          screen.up(slot: 0)
          #expect(try bench.service.end(id)?.state == "applied", "\(manner as Any)")
        }
        #expect(bench.stamps("felt").count == 2, "\(manner as Any)")
        Tally.tell(plays: manner == .answer ? 1 : 0, ran: bench.stamps("felt").count, of: 2)
      }
    }

    @Test(
      "touchgate feedback runs the command with a pulse, without a device, without a service, and if the service hangs")
    func command() throws {
      let bench = try HapticsBench()
      func run(_ arguments: String...) throws -> (Run, Duration) {
        let start = SystemClock.monotonic
        let run = try Run(touchgate, ["--socket", "\(bench.service.folder)/socket", "feedback"] + arguments)
        return (run, SystemClock.monotonic - start)
      }
      try #require(try bench.isReady(device: nil))
      let (silent, _) = try run("success", "--", "/bin/sh", "-c", "echo ran; exit 7")
      #expect(silent.output == "ran\n" && silent.status == 7)
      #expect(try run("--self-test").0.status == 1)
      #expect(try run("--self-test").0.output.contains("silent    no device has force feedback"))

      let vibrator = try VirtualVibrator("Tapper")
      defer { vibrator.unplug() }
      try #require(try bench.isReady(device: "Tapper"))
      var runs = 0
      repeat {
        let (felt, took) = try run("success", "--", "/bin/echo", "ran")
        #expect(felt.output == "ran\n" && took > .milliseconds(95))
        runs += 1
        // Left out if this machine is late.
      } while !eventually(within: .seconds(1), { vibrator.events.plays.count >= 2 }) && runs < 20
      #expect(!vibrator.events.plays.isEmpty && vibrator.events.plays.count <= 2 * runs)
      #expect(try run("sucess").0.errors.contains("did you mean 'success'"))
      #expect(try run("success", "--", "/no/such").0.status == 125)
      let (selfTest, _) = try run("--self-test")
      print(selfTest.output)
      #expect(selfTest.status == 0)
      for word in ["device    Tapper", " of 35", "prepare   median", "fire      median", "skew      median"] {
        #expect(selfTest.output.contains(word), "\(word) in \(selfTest.output)")
      }

      bench.service.signal(SIGSTOP)
      let (hung, waited) = try run("success", "--", "/bin/echo", "ran")
      bench.service.signal(SIGCONT)
      #expect(hung.output == "ran\n", "while the service was stopped")
      print("touchgate feedback with a service that hangs: the command after \(waited.inMilliseconds) ms")
      bench.service.kill(SIGTERM)
      #expect(try run("success", "--", "/bin/echo", "ran").0.output == "ran\n")
      #expect(try run("success").0.status == 69)
    }

    @Test("an unknown kind is refused by name")
    func unknown() throws {
      let bench = try HapticsBench()
      for (body, word) in [
        (#"{"kind":"boom"}"#, "boom"), (#"{}"#, "kind"), (#"{"kind":"light","x":"y"}"#, "x"), ("[", "JSON"),
        (#"{"kind":1}"#, "must be a string"),
      ] {
        let (status, answer) = try bench.service.connection.send(
          method: "POST", path: "/v1/feedback", body: Array(body.utf8))
        #expect(status == 400 && String(decoding: answer, as: UTF8.self).contains(word), "\(body)")
      }
    }
  }
}
