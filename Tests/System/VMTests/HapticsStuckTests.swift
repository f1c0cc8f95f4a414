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
  @Suite("Haptics: an upload without an answer")
  struct HapticsStuckTests {
    @Test(
      "the action runs soon after its lead, the next ones at once; touches, socket and shutdown are not delayed"
    )
    func stuck() throws {
      let vibrator = try VirtualVibrator("Deaf", manner: .silence)
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: "Deaf") && bench.service.knows(screens: 1))
      let call = try bench.play(.success)
      #expect(call.took >= .milliseconds(115), "the lead and the grace: \(call.took)")
      try #require(bench.isInKernel, "it is answered while the upload still hangs")
      #expect(call.reply.silentBecause == "the device did not answer in time")
      #expect(vibrator.events.map(\.event) == [.unanswered])
      #expect(try bench.silentBecause()?.contains("has not returned") == true)
      _ = try bench.playAtOnce(.success)

      // The kernel is in that system call for 30 s; everything else goes on meanwhile.
      var worst = Duration.zero
      for number in 0..<50 {
        screen.down(slot: 0, x: 0.01 * Double(number), y: 0.5)
        let start = SystemClock.monotonic
        #expect(try bench.service.sees(1))
        screen.up(slot: 0)
        #expect(try bench.service.sees(0))
        worst = max(worst, SystemClock.monotonic - start)
      }
      try #require(bench.isInKernel, "all of it while the upload hangs")
      let id = try bench.service.submit()
      #expect(eventually { bench.service.isApplied(id) })

      // Stopped: the process gives up everything but the hanging call itself, which no signal ends.
      let start = SystemClock.monotonic
      bench.service.signal(SIGTERM)
      let lock = "\(bench.service.folder)/state/lock"
      let isFree = eventually(within: .seconds(5)) {
        let descriptor = open(lock, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
      }
      let took = SystemClock.monotonic - start
      #expect(isFree, "the kernel still has the call for most of its 30 s")
      let second = try ServiceUnderTest(start: false)
      try FileManager.default.moveItem(atPath: "\(bench.service.folder)/state", toPath: "\(second.folder)/state")
      try second.start()
      #expect(try second.update(id).state == "applied", "another service has taken over the queue")
      print(
        "an upload that nobody answers: action after \(call.took.inMilliseconds) ms, touch and release seen within "
          + "\(worst.inMilliseconds) ms, socket and queue free \(took.inMilliseconds) ms after SIGTERM")
      let state = try String(contentsOfFile: "/proc/\(bench.service.pid)/status", encoding: .utf8)
        .split(separator: "\n").first { $0.hasPrefix("State:") }
      print("what is left of the process: \(state ?? "nothing")")
      vibrator.unplug()
      print("the process was gone \((SystemClock.monotonic - start).inMilliseconds) ms after SIGTERM")
    }

    @Test("when the kernel gives up after 30 s no pulse comes late, and the device works again")
    func answersAgain() throws {
      let vibrator = try VirtualVibrator("Moody")
      defer { vibrator.unplug() }
      let bench = try HapticsBench()
      try #require(try bench.isReady(device: "Moody"))
      _ = try bench.playFelt(.light)
      vibrator.set(.silence)
      // One is ready, and is to be played while the upload for the other hangs.
      vibrator.forget()
      let connection = bench.service.connection
      Thread.detachNewThread { _ = try? connection.play("light") }
      hold(for: .milliseconds(30))
      #expect(try bench.play(.heavy).reply.silentBecause != nil)
      #expect(vibrator.events.last?.event == .unanswered)
      vibrator.set(.answer)
      try #require(eventually(within: .seconds(40)) { !bench.isInKernel })
      #expect(always(for: .milliseconds(300)) { vibrator.events.plays.isEmpty })
      #expect(try bench.silentBecause()?.contains("has not returned") == false)
      // It is tried again 5 s later, when it is wanted.
      hold(for: FeedbackCalls.retryTime)
      _ = try bench.playFelt(.light)
    }
  }
}
