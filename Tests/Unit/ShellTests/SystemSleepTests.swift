import EventLoop
import Foundation
import Scheduling
import ServiceLog
import SystemBus
import Testing
import Timeline
import TouchDevices

@testable import Service

@Suite("The sleep of the machine")
struct SystemSleepTests {
  /// A logind that announces what the test says.
  final class Logind: SleepAnnouncer {
    var announced: (_ sleeps: Bool, Instant) -> Void = { _, _ in }
    var failed: (SystemBus.Failure) -> Void = { _ in }
    var log: [String] = []

    func begin() { log.append("begin") }
    func end() { log.append("end") }
    func release() { log.append("release") }
  }

  let logind = Logind()
  let screens: ScreensInUse
  let sleep: SystemSleep
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop()
    let folder = NSTemporaryDirectory() + "touchgate-sleep-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    screens = try ScreensInUse(
      loop: loop, log: Log(), settings: TouchSettings(), memory: nil,
      replay: try Panel.write(folder, touched: false), now: at(0))
    sleep = SystemSleep(logind, log: Log(), screens: screens)
    try screens.start(at(0))
    try FileManager.default.removeItem(atPath: folder)
  }

  /// What keeps updates waiting on the whole machine.
  private var blocks: Blocker.Clears? {
    if case .blocked(let blocker) = screens.gateStates[.machine] { blocker.clears } else { nil }
  }

  private let lost = SystemBus.Failure(name: "test", message: "D-Bus has gone away")

  @Test("nothing is applied from the announcement until the machine is awake")
  func announced() {
    #expect(blocks == nil)
    logind.announced(true, at(1))
    #expect(blocks == .machineIsAwake && screens.input.sleepsSince == at(1))
    logind.announced(true, at(2))
    #expect(screens.input.sleepsSince == at(1))
    logind.announced(false, at(9))
    #expect(blocks == nil)
  }

  @Test("the machine may sleep when it wants to and nothing is being applied any more")
  func allows() {
    sleep.allow()
    #expect(logind.log == [])
    logind.announced(true, at(1))
    #expect(logind.log == [], "a handler may still run")
    sleep.allow()
    #expect(logind.log == ["release"])
  }

  @Test("without the bus nobody would say that the machine is awake, so it counts as awake")
  func busLost() {
    sleep.busReturned()
    logind.announced(true, at(1))
    sleep.busLost(lost, at(2))
    #expect(blocks == nil && logind.log == ["begin", "end"])
    sleep.busReturned()
    #expect(logind.log == ["begin", "end", "begin"])
  }

  @Test("a sleep that nobody announced is noticed by the clocks, and the machine is awake")
  func clocks() {
    sleep.noticeSuspend(at(1), asleep: .seconds(100))
    sleep.noticeSuspend(at(3), asleep: .seconds(100))
    sleep.noticeSuspend(at(4), asleep: .seconds(5000))
    #expect(blocks == nil && sleep.nextDeadline == nil)
  }

  @Test("a sleep that logind announced is over when logind reports it, not when the clocks show it")
  func sleepsAgain() {
    sleep.noticeSuspend(at(1), asleep: .zero)
    logind.announced(true, at(2))
    sleep.noticeSuspend(at(4), asleep: .seconds(5000))
    #expect(blocks == .machineIsAwake, "it may be about to sleep again")
    logind.announced(false, at(4.1))
    #expect(blocks == nil && sleep.nextDeadline == nil)
    logind.announced(true, at(4.2))
    #expect(blocks == .machineIsAwake)
  }

  @Test("if logind does not report it, the machine counts as awake ten seconds after the clocks showed it")
  func logindIsSilent() {
    sleep.noticeSuspend(at(1), asleep: .zero)
    logind.announced(true, at(2))
    sleep.noticeSuspend(at(4), asleep: .seconds(5000))
    #expect(sleep.nextDeadline == at(14))
    sleep.timePassed(at(13.9))
    #expect(blocks == .machineIsAwake)
    sleep.timePassed(at(14))
    #expect(blocks == nil && sleep.nextDeadline == nil)
  }
}
