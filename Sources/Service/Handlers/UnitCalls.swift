import Scheduling
import SystemBus
import Timeline

/// The calls of systemd's manager (org.freedesktop.systemd1(5)) that a `Unit=` handler needs.
struct UnitCalls {
  let bus: SystemBus

  static let manager = SystemBus.Target(
    "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")

  typealias Started = Result<String, SystemBus.Failure>

  /// Answers with the path of the job.
  func start(_ unit: String, answered: @escaping (Started, Instant) -> Void) -> Slot? {
    change("StartUnit", unit, answered)
  }

  /// Also takes back a start that has not been done.
  func stop(_ unit: String, answered: @escaping (Started, Instant) -> Void) -> Slot? {
    change("StopUnit", unit, answered)
  }

  private func change(_ method: String, _ unit: String, _ answered: @escaping (Started, Instant) -> Void) -> Slot? {
    bus.call(Self.manager, method, [unit, "replace"]) { reply, now in
      answered(reply.map { $0.first?.text ?? "" }, now)
    }
  }

  /// Job by job: its path, the unit, and its result (`done`, `failed`, `canceled`, …).
  func jobsRemoved(_ told: @escaping (_ job: String, _ result: String, Instant) -> Void) -> Slot? {
    bus.signal(Self.manager, "JobRemoved") { values, now in
      guard values.count == 4, let job = values[1].text, let result = values[3].text else { return }
      told(job, result, now)
    }
  }

  /// Whether the machine is going down.
  func isStopping(answered: @escaping (Bool, Instant) -> Void) -> Slot? {
    let target = SystemBus.Target(Self.manager.name, Self.manager.path, "org.freedesktop.DBus.Properties")
    return bus.call(target, "Get", [Self.manager.interface, "SystemState"]) { reply, now in
      let value = (try? reply.get())?.first
      answered(value == .variant(.text("stopping")), now)
    }
  }

  /// Systemd's record of a unit, by two calls; nil in the answer: it has none.
  func record(
    of unit: String, answered: @escaping (Result<UnitRecord?, SystemBus.Failure>, Instant) -> Void
  ) -> Inquiry? {
    let inquiry = Inquiry()
    inquiry.slot = bus.call(Self.manager, "GetUnit", [unit]) { [unowned inquiry] reply, now in
      switch reply {
      case .failure(let failure) where failure.name == "org.freedesktop.systemd1.NoSuchUnit":
        answered(.success(nil), now)
      case .failure(let failure):
        answered(.failure(failure), now)
      case .success(let values):
        let target = SystemBus.Target(
          Self.manager.name, values.first?.text ?? "/", "org.freedesktop.DBus.Properties")
        inquiry.slot = bus.call(target, "GetAll", [""]) { reply, now in
          switch reply {
          case .failure(let failure) where failure.isDisconnect: answered(.failure(failure), now)
          case .failure: answered(.success(nil), now)  // Forgotten between the two.
          case .success(let values): answered(.success(values.first?.properties.flatMap(UnitRecord.init)), now)
          }
        }
      }
    }
    return inquiry.slot == nil ? nil : inquiry
  }

  /// Ends with the object.
  final class Inquiry {
    fileprivate var slot: Slot?
  }
}

extension UnitRecord {
  /// What the update is told. `job`: what became of systemd's job, where that is known.
  static func end(
    _ verdict: Verdict, _ record: UnitRecord?, unit: String, job: String? = nil, at wall: WallTime,
    releaseToStart: Int64?
  ) -> HandlerEnd {
    let state: FinalState
    let message: String
    var triesLater = false
    switch verdict {
    case .succeeded:
      (state, message) = (.applied, "unit \(unit) has succeeded")
    case .wasActive:
      state = .failed
      message =
        "unit \(unit) was active already, so systemd had nothing to start; a handler's unit must end by itself "
        + "(Type=oneshot, no RemainAfterExit=)"
    case .failed, .running, .unknown:
      state = .failed
      triesLater = record?.exitStatus == 75
      var reasons: [String] = []
      if let record, !record.result.isEmpty, record.result != "success" { reasons.append(record.result) }
      if let status = record?.exitStatus, status != 0 { reasons.append("exit status \(status)") }
      if reasons.isEmpty, let job { reasons.append("its job ended as \(job)") }
      let why = reasons.isEmpty ? "" : ": \(reasons.joined(separator: ", "))"
      message = "unit \(unit) has failed\(why) (journalctl -u \(unit))"
    }
    let exitCode = state == .applied ? 0 : record?.exitStatus
    return HandlerEnd(
      result: UpdateResult(
        state: state, exitCode: exitCode, message: message, finishedAt: wall,
        releaseToStartMilliseconds: releaseToStart),
      triesLater: triesLater)
  }
}
