import Foundation
import Scheduling
import SystemBus
import Testing
import Timeline

@testable import Handlers

@Suite("What systemd has recorded of a handler's unit")
struct UnitRecordTests {
  private func record(
    _ activity: UnitRecord.Activity, result: String = "success", left: UInt64 = 0, changed: UInt64 = 0,
    job: Bool = false, exit: Int? = nil
  ) -> UnitRecord {
    var record = UnitRecord(activity)
    (record.result, record.leftRest, record.changed, record.hasJob, record.exitStatus) = (
      result, left, changed, job, exit
    )
    return record
  }

  private func verdict(_ record: UnitRecord?, accepted: Bool = true) -> UnitRecord.Verdict {
    UnitRecord.verdict(record, asked: 1000, accepted: accepted)
  }

  @Test("a unit that is at work, or has a job, still runs")
  func running() {
    for activity in [UnitRecord.Activity.activating, .deactivating, .reloading] {
      #expect(verdict(record(activity, left: 2000)) == .running)
    }
    #expect(verdict(record(.inactive, job: true)) == .running)
    #expect(verdict(record(.failed, result: "exit-code", changed: 2000, job: true)) == .running)
  }

  @Test("a unit that has run since it was asked for has succeeded or failed as its result says")
  func since() {
    #expect(verdict(record(.inactive, left: 1000)) == .succeeded)
    #expect(verdict(record(.inactive, result: "timeout", left: 2000)) == .failed)
    #expect(verdict(record(.failed, result: "exit-code", left: 2000, changed: 2000)) == .failed)
    #expect(verdict(record(.active, left: 2000)) == .succeeded)
  }

  @Test("what it did before it was asked for does not count")
  func before() {
    #expect(verdict(record(.failed, result: "exit-code", left: 500, changed: 600)) == .unknown)
    #expect(verdict(record(.inactive, left: 500)) == .unknown)
    #expect(verdict(record(.active, left: 999)) == .wasActive)
  }

  @Test("systemd forgets units at rest, and keeps those that failed: no record of a job that it took is a success")
  func forgotten() {
    #expect(verdict(nil) == .succeeded && verdict(record(.inactive)) == .succeeded)
    #expect(verdict(nil, accepted: false) == .unknown && verdict(record(.inactive), accepted: false) == .unknown)
  }

  @Test("a record is read from the properties of a unit")
  func properties() {
    let properties: [String: BusValue] = [
      "ActiveState": .text("failed"), "Job": .list([.unsigned(0), .text("/")]), "Result": .text("exit-code"),
      "ExecMainCode": .number(1), "ExecMainStatus": .number(3), "InactiveExitTimestampMonotonic": .unsigned(7),
      "StateChangeTimestampMonotonic": .unsigned(8),
    ]
    #expect(UnitRecord(properties) == record(.failed, result: "exit-code", left: 7, changed: 8, exit: 3))
    #expect(UnitRecord(["ActiveState": .text("inactive")]) == record(.inactive, result: ""))
    #expect(UnitRecord(["ActiveState": .text("sleeping")]) == nil && UnitRecord([:]) == nil)
    let killed = properties.merging(["ExecMainCode": .number(2), "ExecMainStatus": .number(9)]) { $1 }
    #expect(UnitRecord(killed)?.exitStatus == nil)
  }

  @Test("the end contains the result and the exit status, and 75 means try again later")
  func ends() {
    func end(_ verdict: UnitRecord.Verdict, _ record: UnitRecord?, job: String? = nil) -> HandlerEnd {
      UnitRecord.end(
        verdict, record, unit: "a.service", job: job, at: WallTime(millisecondsSinceEpoch: 0), releaseToStart: 4)
    }
    let failed = end(.failed, record(.failed, result: "exit-code", exit: 75))
    #expect(failed.triesLater && failed.result.exitCode == 75)
    #expect(failed.result.message == "unit a.service failed: exit-code, exit status 75 (journalctl -u a.service)")
    #expect(end(.failed, nil, job: "canceled").result.message.contains("its job ended as canceled"))
    let applied = end(.succeeded, nil)
    #expect(applied.result.state == .applied && applied.result.releaseToStartMilliseconds == 4 && !applied.triesLater)
    #expect(end(.wasActive, record(.active)).result.state == .failed)
  }

  @Test("the marker of a unit survives a run of the service, and nonsense is none")
  func marker() throws {
    let path = NSTemporaryDirectory() + "touchgate-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(UnitMarker(path: path) == nil)
    for accepted in [false, true] {
      let marker = UnitMarker(unit: "a@b.service", asked: 123, boot: "boot", isAccepted: accepted)
      try marker.write(path)
      #expect(UnitMarker(path: path) == marker)
    }
    for nonsense in ["a\n1\nb\nacc\n\n", "", "a\nb\nc\nd\n", "a.service\n1\n", "a\n1\nb\naccepted"] {
      try nonsense.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(UnitMarker(path: path) == nil, "\(nonsense)")
    }
  }
}
