import EventLoop
import Linux
import Scheduling
import ServiceLog
import Timeline

/// The processes whose holds and turns are kept after a restart: what one of them had ends at once with it.
final class KeptOwners {
  /// A descriptor that is readable once the process has ended.
  private final class Watch {
    let process: FileDescriptor
    var source: Source?

    init(_ process: consuming FileDescriptor) { self.process = process }
  }

  private let loop: EventLoop
  private let engine: Engine
  private let log: Log
  private var watches: [HoldID: Watch] = [:]

  init(loop: EventLoop, engine: Engine, log: Log) {
    self.loop = loop
    self.engine = engine
    self.log = log
  }

  /// To be called after the recovery. Of a process that is not visible here only the time counts.
  func begin(_ stored: [BoundHold], _ now: Instant) {
    for bound in stored where engine.scheduler.keptHold(bound.hold.id) != nil {
      let (hold, owner) = (bound.hold, "user \(bound.hold.owner.uid), process \(bound.hold.owner.pid)")
      log.notice(
        "\(hold.id) of \(owner) is kept for \(TimeSpan.describe(BoundHold.keptFor)) after the restart: \(hold.reason)")
      guard let ticks = bound.startTicks else { continue }
      switch ProcessIdentity(pid: hold.owner.pid, startTicks: ticks).find() {
      case .ended: end(hold.id, now)
      case .running(let process): follow(Watch(process), hold.id)
      case .unknown: break
      }
    }
  }

  private func follow(_ watch: Watch, _ id: HoldID) {
    do {
      watch.source = try loop.watch(watch.process.raw, .requests) { [unowned self] now in end(id, now) }
      watches[id] = watch
    } catch {
      log.warning("the process of \(id) cannot be watched: \(error)")
    }
  }

  private func end(_ id: HoldID, _ now: Instant) {
    watches[id] = nil
    if engine.scheduler.keptHold(id) != nil { log.info("\(id) ended: its process has ended") }
    engine.feed { $0.ownerEnded(id, at: now) }
  }
}
