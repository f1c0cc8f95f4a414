import EventLoop
import Foundation
import Glibc
import HTTPTypes
import Handlers
import Haptics
import Scheduling
import ServiceConfiguration
import ServiceLog
import SimulatedSystemd
import Testing
import Timeline

@testable import Service

@Suite("The handler runner", .serialized)
final class HandlerRunnerTests {
  let manager = SimulatedUnitManager()
  let folder = NSTemporaryDirectory() + "touchgate-runner-\(UUID().uuidString)"
  let loop: EventLoop
  let runner: HandlerRunner
  let log = Happenings()

  final class Happenings {
    var all: [String] = []
    var payload: [UInt8] = Array("menu".utf8)
    /// Applications that take a delivery, in order.
    var applications: [RequestToken] = []
    /// Actions that wait for their pulse.
    var delayed: [(Instant) -> Void] = []
    var delaysPulses = false

    func take() -> [String] {
      defer { all = [] }
      return all
    }
  }

  init() throws {
    EventLoop.blockSignals([SIGCHLD])
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    loop = try EventLoop()
    var definitions: [String: HandlerDefinition] = [:]
    for (name, kind) in [
      ("program", HandlerKind.program(["/bin/sh", "-c", "cat > \(folder)/payload"])),
      ("unit", .unit("touchgate-a@.service")), ("application", .delivery),
    ] {
      definitions[name] = HandlerDefinition(
        name: name, file: "\(name).conf", kind: kind, parameters: [], timeout: .seconds(30))
    }
    runner = HandlerRunner(
      loop: loop, manager: manager, log: Log(), folder: folder, boot: "boot", definitions: definitions)
    runner.connect(
      HandlerRunner.Inputs(
        progressed: { [log] update, progress, _ in log.all.append("progressed \(update.id): \(progress)") },
        ended: { [log, loop] update, end, _, _ in
          log.all.append("ended \(update.id): \(end.result.state.rawValue)")
          loop.stop(0)
        },
        orphanEnded: { [log] id, end, _ in log.all.append("orphan \(id): \(end.result.state.rawValue)") },
        interrupted: { [log] id, _ in log.all.append("interrupted \(id)") },
        payload: { [log] _ in log.payload },
        offer: { [log] _, _, _, _, _ in log.applications.first },
        withPulse: { [log] _, now, action in
          if log.delaysPulses { log.delayed.append(action) } else { action(now) }
        },
        preparePulse: { _, _ in }, started: { [log] update, _ in log.all.append("started \(update.id)") }))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func update(_ handler: String, _ id: String = "a") throws -> Update {
    Update(
      id: try #require(UpdateID(id)), handler: handler, parameters: [:],
      createdAt: WallTime(millisecondsSinceEpoch: 0), submitter: Submitter(uid: 1, pid: 2), sequence: 1)
  }

  /// Without the spare file, which is always there.
  private var files: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    #expect(names.contains("handler.spare"))
    return names.filter { $0 != "handler.spare" }.sorted()
  }

  @Test("a program is prepared before the last look and only started after it, with the payload of that moment")
  func program() throws {
    let update = try update("program")
    #expect(runner.prepare(update, attempt: 1, at: at(0)) == .ready)
    #expect(files == ["handler-a.lock"] && runner.isIdle)
    log.payload = Array("changed later".utf8)
    #expect(runner.start(update, attempt: 1, releasedAt: nil, at: at(0)) == .ready)
    #expect(!runner.isIdle && !runner.mayStop && runner.update == update)
    _ = try loop.run()
    #expect(log.take() == ["started a", "ended a: applied"])
    #expect(files == ["payload"] && runner.isIdle)
    #expect(try String(contentsOfFile: "\(folder)/payload", encoding: .utf8) == "menu")
  }

  @Test("a handler that is discarded after the last look leaves nothing behind, and can be prepared again")
  func discarded() throws {
    let update = try update("program")
    _ = runner.prepare(update, attempt: 1, at: at(0))
    runner.discardPrepared()
    #expect(files == [])
    #expect(runner.prepare(update, attempt: 1, at: at(1)) == .ready)
    runner.discardPrepared()
  }

  @Test("a handler that is no longer configured fails when it is prepared, and the message lists the configured ones")
  func unknown() throws {
    guard case .failed(let result) = runner.prepare(try update("gone"), attempt: 1, at: at(0)) else {
      Issue.record("it was prepared")
      return
    }
    #expect(
      result.message
        == "handler 'gone' is no longer configured; configured handlers: application, program, unit")
  }

  @Test("a start that waits for its pulse is reported when it comes")
  func pulse() throws {
    log.delaysPulses = true
    let update = try update("unit")
    _ = runner.prepare(update, attempt: 1, at: at(0))
    #expect(runner.start(update, attempt: 1, releasedAt: nil, at: at(0)) == .ready)
    #expect(runner.isIdle && log.take() == [])
    log.delayed.first?(at(0.02))
    #expect(log.take() == ["started a", "progressed a: ready"] && !runner.isIdle)
  }

  @Test("a handler that a reload removes before its late start fails, and leaves no lock behind")
  func removedMeanwhile() throws {
    log.delaysPulses = true
    let update = try update("program")
    _ = runner.prepare(update, attempt: 1, at: at(0))
    _ = runner.start(update, attempt: 1, releasedAt: nil, at: at(0))
    #expect(files == ["handler-a.lock"])
    runner.configure([:], admin: Principals())
    log.delayed.first?(at(0.02))
    #expect(log.take().first?.contains("no longer configured") == true)
    #expect(files == [] && runner.isIdle)
  }

  @Test("a unit's marker is removed when its result is stored")
  func marker() throws {
    let update = try update("unit")
    _ = runner.prepare(update, attempt: 1, at: at(0))
    _ = runner.start(update, attempt: 1, releasedAt: nil, at: at(0))
    #expect(files == ["handler-a.unit"] && !runner.mayStop)
    manager.answerJob(.success("/job/1"), at(0.1))
    #expect(runner.mayStop, "systemd runs the unit, so the service may stop")
    manager.jobEnds("/job/1", "failed", at(1))
    manager.answerRecord(nil, at(1))
    #expect(log.take() == ["started a", "ended a: failed"] && files == [])
  }

  @Test("a delivery goes to the first application, to the next if that disconnects, and waits if there is none")
  func deliveries() throws {
    let update = try update("application")
    _ = runner.prepare(update, attempt: 1, at: at(0))
    #expect(runner.start(update, attempt: 1, releasedAt: nil, at: at(0)) == .notTaken)
    log.applications = [token(1)]
    _ = runner.prepare(update, attempt: 1, at: at(1))
    #expect(runner.start(update, attempt: 1, releasedAt: nil, at: at(1)) == .ready)
    #expect(runner.delivery?.receiver == token(1))
    #expect(runner.receiverGone(token(9), at: at(2)) == nil, "another application")
    log.applications = [token(2)]
    #expect(runner.receiverGone(token(1), at: at(3)) == nil)
    #expect(runner.delivery?.receiver == token(2))
    log.applications = []
    #expect(runner.receiverGone(token(2), at: at(4)) == update)
    #expect(runner.isIdle)
  }

  @Test("handlers of a former run: a held lock means running, a marker means ask systemd, neither means ended")
  func formerRun() throws {
    let update = try update("unit")
    #expect(runner.probe(update, at: at(0)) == .ended)
    let asked = UnitMarker(unit: "touchgate-a@a.service", asked: 1, boot: "boot", isAccepted: true)
    try asked.write("\(folder)/handler-a.unit")
    #expect(runner.probe(update, at: at(1)) == .pending)
    #expect(runner.probe(update, at: at(2)) == .pending)
    #expect(manager.news().filter { $0.hasPrefix("record") }.count == 1, "one question at a time")
    runner.busLost(at(3))
    #expect(runner.probe(update, at: at(4)) == .pending)
    var record = UnitRecord(.inactive)
    (record.result, record.leftRest) = ("success", 5)
    manager.answerRecord(record, at(5))
    manager.answerRecord(record, at(5))
    #expect(log.take() == ["orphan a: applied"] && files == [])
  }

  @Test("what former handlers left is removed, but not of the update that is being applied")
  func sweep() throws {
    for name in ["handler-a.lock", "handler-b.lock", "handler-b.unit"] {
      try "".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
    runner.sweep(keeping: [try update("program").id])
    #expect(files == ["handler-a.lock"])
  }

  @Test("a marker of an earlier boot is ignored")
  func earlierBoot() throws {
    let update = try update("unit")
    try UnitMarker(unit: "a.service", asked: 1, boot: "another").write("\(folder)/handler-a.unit")
    #expect(runner.probe(update, at: at(0)) == .ended && files == [])
  }
}
