import Foundation
import Scheduling
import ServiceLog
import SimulatedSystemd
import Testing
import Timeline

@testable import Handlers
@testable import SystemBus

@Suite("A handler's unit")
struct UnitJobTests {
  let manager = SimulatedUnitManager()
  let marker = NSTemporaryDirectory() + "touchgate-\(UUID().uuidString).unit"

  private final class Ends {
    var all: [HandlerEnd] = []
  }
  private let ends = Ends()

  private func job(timeout: Duration = .seconds(60)) throws -> UnitJob {
    try UnitJob(
      "a.service", sampleStart(timeout: timeout), manager: manager, markerPath: marker, boot: "boot", log: Log(),
      now: at(0)
    ) { [ends] end, _ in ends.all.append(end) }
  }

  private func record(_ activity: UnitRecord.Activity, since: Double = 1) -> UnitRecord {
    var record = UnitRecord(activity)
    record.result = "success"
    record.leftRest = UInt64(at(since).nanoseconds / 1000)
    return record
  }

  @Test("systemd accepts the job, the job is done, and its record says applied")
  func succeeds() throws {
    let job = try job()
    #expect(manager.news() == ["connect", "follow jobs", "start a.service"])
    #expect(!job.survivesService)
    manager.answerJob(.success("/job/1"), at(0.1))
    #expect(job.phase == .running(job: "/job/1") && job.survivesService)
    #expect(UnitMarker(path: marker)?.isAccepted == true)
    manager.jobEnds("/job/2", "done", at(1))
    #expect(manager.news() == [], "another unit's job")
    manager.jobEnds("/job/1", "done", at(2))
    manager.answerRecord(record(.inactive), at(2.1))
    #expect(ends.all.map(\.result.state) == [.applied])
    #expect(job.nextDeadline == nil)
    unlink(marker)
  }

  @Test("the bus is lost and returns while the unit runs: its record is read each second, with a deadline each")
  func busReturns() throws {
    let job = try job()
    manager.answerJob(.success("/job/1"), at(0.1))
    manager.loseBus()
    job.busLost(at(1))
    #expect(job.nextDeadline == at(60), "only the timeout: nobody can be asked")
    manager.isConnected = true
    _ = manager.news()
    job.busReturned(at(5))
    #expect(manager.news() == ["follow jobs", "record a.service"])
    for second in 5..<20 {
      manager.answerRecord(record(.activating), at(Double(second) + 0.01))
      let due = try #require(job.nextDeadline)
      #expect(due == at(Double(second) + 1.01), "the answer has set a deadline")
      job.timePassed(at(Double(second) + 0.5))
      #expect(manager.news() == [], "not before it is due")
      job.timePassed(due)
      #expect(manager.news() == ["record a.service"])
      #expect(ends.all.isEmpty)
    }
    manager.answerRecord(record(.inactive), at(21))
    #expect(ends.all.map(\.result.state) == [.applied])
    unlink(marker)
  }

  @Test("a bus that was never lost and is reported as available changes nothing")
  func busAvailable() throws {
    let job = try job()
    manager.answerJob(.success("/job/1"), at(0.1))
    _ = manager.news()
    job.busReturned(at(1))
    #expect(manager.news() == [] && job.phase == .running(job: "/job/1"))
    unlink(marker)
  }

  @Test("a bus that is lost while the unit's record is read: it is read again when the bus returns")
  func lostWhileReading() throws {
    let job = try job()
    manager.answerJob(.success("/job/1"), at(0.1))
    manager.jobEnds("/job/1", "done", at(1))
    manager.answerRecord(
      .failure(SystemBus.Failure(name: SystemBus.Failure.disconnected, message: "the connection to D-Bus was lost")),
      at(2))
    #expect(ends.all.isEmpty)
    manager.loseBus()
    job.busLost(at(2))
    manager.isConnected = true
    job.busReturned(at(3))
    manager.answerRecord(record(.inactive), at(3))
    #expect(ends.all.map(\.result.state) == [.applied])
    unlink(marker)
  }

  @Test("a unit that was active already fails, although systemd reports its job as done")
  func wasActive() throws {
    let job = try job()
    manager.answerJob(.success("/job/1"), at(0.1))
    manager.jobEnds("/job/1", "done", at(1))
    manager.answerRecord(record(.active, since: -10), at(1))
    #expect(ends.all.map(\.result.state) == [.failed])
    #expect(ends.all.first?.result.message.contains("already active") == true)
    withExtendedLifetime(job) {}
    unlink(marker)
  }

  @Test("a bus that is lost before systemd has answered: the record decides whether anything was started")
  func lostBeforeAnswer() throws {
    let job = try job()
    manager.loseBus()
    job.busLost(at(1))
    manager.isConnected = true
    job.busReturned(at(2))
    manager.answerRecord(nil, at(2))
    #expect(ends.all.map(\.result.state) == [.failed])
    #expect(ends.all.first?.result.message.contains("no record of a start") == true)
    unlink(marker)
  }

  @Test("a unit that exceeds its timeout is stopped, and fails once systemd has stopped it")
  func timeout() throws {
    let job = try job(timeout: .seconds(10))
    manager.answerJob(.success("/job/1"), at(0.1))
    _ = manager.news()
    job.timePassed(at(9.9))
    #expect(manager.news() == [])
    job.timePassed(at(10))
    #expect(manager.news() == ["stop a.service"])
    #expect(job.nextDeadline == at(10) + UnitJob.stopGrace)
    manager.answerJob(.success("/job/2"), at(10.1))
    manager.jobEnds("/job/2", "done", at(11))
    #expect(ends.all.map(\.result.message) == ["unit a.service exceeded its timeout of 10 s, stopped by systemd"])
    unlink(marker)
  }

  @Test("a unit that cannot be stopped fails two minutes after its timeout")
  func unstoppable() throws {
    let job = try job(timeout: .seconds(10))
    manager.answerJob(.success("/job/1"), at(0.1))
    job.timePassed(at(10))
    job.timePassed(at(10) + UnitJob.stopGrace)
    #expect(ends.all.map(\.result.message) == ["unit a.service exceeded its timeout of 10 s, and could not be stopped"])
    manager.answerJob(.success("/job/2"), at(200))
    manager.jobEnds("/job/2", "done", at(201))
    #expect(ends.all.count == 1 && job.phase == .ended, "a late answer has no effect")
    unlink(marker)
  }

  @Test("a job that is cancelled because the machine shuts down is no failure")
  func shutdown() throws {
    let job = try job()
    manager.answerJob(.success("/job/1"), at(0.1))
    manager.jobEnds("/job/1", "canceled", at(1))
    #expect(manager.news().last == "shutting down?")
    manager.answerShuttingDown(true, at(1))
    #expect(manager.news() == [], "its record would say that it failed")
    #expect(ends.all.isEmpty && job.survivesService)
    unlink(marker)
  }

  @Test("a job that is cancelled on a machine that stays up has failed")
  func cancelled() throws {
    let job = try job()
    manager.answerJob(.success("/job/1"), at(0.1))
    manager.jobEnds("/job/1", "canceled", at(1))
    manager.answerShuttingDown(false, at(1))
    manager.answerRecord(record(.inactive), at(1))
    #expect(ends.all.map(\.result.state) == [.failed])
    withExtendedLifetime(job) {}
    unlink(marker)
  }

  @Test("without a bus nothing is started, and no marker is left")
  func noBus() throws {
    manager.isConnected = false
    #expect(throws: HandlersError("cannot start unit a.service: D-Bus is not available; systemctl status dbus")) {
      try job()
    }
    #expect(UnitMarker(path: marker) == nil)
  }

  @Test("a former run's unit is read at each recheck, once at a time, and stopped after its timeout")
  func probe() throws {
    var found: [UnitProbe.Finding] = []
    let asked = UnitMarker(unit: "a.service", asked: UInt64(at(0).nanoseconds / 1000), boot: "boot", isAccepted: true)
    let probe = UnitProbe(asked, try sampleStart(timeout: .seconds(10)), manager: manager, log: Log(), now: at(0)) {
      finding, _ in found.append(finding)
    }
    probe.ask(at(0))
    probe.ask(at(1))
    #expect(manager.news() == ["connect", "record a.service"], "the first answer is outstanding")
    manager.answerRecord(record(.activating), at(1.5))
    probe.ask(at(2))
    manager.loseBus()
    probe.busLost()
    manager.isConnected = true
    _ = manager.news()
    probe.ask(at(3))
    #expect(manager.news() == ["connect", "record a.service"])
    manager.answerRecord(record(.activating), at(3.5))
    #expect(found.isEmpty)
    probe.ask(at(10))
    #expect(manager.news() == ["stop a.service"])
    guard case .ended(let end) = found.first else { return #expect(Bool(false), "\(found)") }
    #expect(end.result.state == .failed && found.count == 1)
    probe.ask(at(11))
    #expect(manager.news() == [] && found.count == 1, "it is over")
  }

  @Test("a former run's unit without a record of a start was interrupted")
  func noTrace() throws {
    var found: [UnitProbe.Finding] = []
    let asked = UnitMarker(unit: "a.service", asked: UInt64(at(0).nanoseconds / 1000), boot: "boot")
    let probe = UnitProbe(asked, try sampleStart(), manager: manager, log: Log(), now: at(0)) { finding, _ in
      found.append(finding)
    }
    probe.ask(at(0))
    manager.answerRecord(nil, at(0.5))
    #expect(found == [.noTrace])
  }
}
