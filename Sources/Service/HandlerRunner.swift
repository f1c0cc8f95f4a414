import EventLoop
import Glibc
import HTTPTypes
import Handlers
import Haptics
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import Timeline

/// Runs the handlers that the scheduler decided on: prepares payload, lock and environment before the last look, only
/// starts after it, and finds out how handlers of a former run ended.
///
/// One handler runs at a time. Its results go to `inputs`.
final class HandlerRunner: EngineHandlers {
  /// Where results go: the engine, and those who observe.
  struct Inputs {
    /// A start that came later than the decision (after a pulse).
    var progressed: (Update, HandlerProgress, Instant) -> Void
    /// Called once for each handler that has started. The result is stored when it returns.
    var ended: (Update, HandlerEnd, _ started: Instant, Instant) -> Void
    /// The handler of a former run has ended with this result.
    var orphanEnded: (UpdateID, HandlerEnd, Instant) -> Void
    /// The handler of a former run has left no trace.
    var interrupted: (UpdateID, Instant) -> Void
    var payload: (UpdateID) throws -> [UInt8]
    /// Offers a delivery to the applications of its handler in the order of their connection; nil: none accepts it.
    var offer: (Update, _ attempt: Int, _ timeout: Duration, _ payload: [UInt8], Instant) -> RequestToken?
    /// Runs the action with the pulse, or at once without one.
    var withPulse: (FeedbackKind?, Instant, _ action: @escaping (Instant) -> Void) -> Void
    /// The pulse for a failure is prepared while the handler runs.
    var preparePulse: (FeedbackKind, _ duration: Duration) -> Void
    /// A handler has started.
    var started: (Update, _ afterRelease: Duration?) -> Void
  }

  private let loop: EventLoop
  private let manager: any UnitManager
  private let log: Log
  private let files: HandlerFiles
  private let boot: String
  private let left: LeftOutputs
  private let environment = HandlerEnvironment.ofThisProcess
  private var definitions: [String: HandlerDefinition]
  private var admin: Principals
  private var inputs: Inputs?
  private var running: (any RunningHandler)?
  private var preparedProcess: PreparedProcess?
  private var preparedPayload: [UInt8] = []
  private var probing: (id: UpdateID, probe: UnitProbe)?
  private var orphan: (id: UpdateID, process: OrphanProcess)?

  /// `folder`: the state directory, for locks and markers. `boot`: the boot id.
  init(
    loop: EventLoop, manager: any UnitManager, log: Log, folder: String, boot: String,
    definitions: [String: HandlerDefinition], admin: Principals = Principals()
  ) {
    self.loop = loop
    self.manager = manager
    self.log = log
    files = HandlerFiles(folder: folder)
    self.boot = boot
    left = LeftOutputs(loop: loop, log: log)
    self.definitions = definitions
    self.admin = admin
    files.keepSpare()
  }

  /// To be called once, before anything else.
  func connect(_ inputs: Inputs) { self.inputs = inputs }

  /// A new configuration. A handler that runs continues as it was started. `admin`: who may use every handler.
  func configure(_ definitions: [String: HandlerDefinition], admin: Principals) {
    self.definitions = definitions
    self.admin = admin
  }

  // MARK: Queries

  /// The update whose handler runs.
  var update: Update? { running?.update }

  /// The service can stop without waiting for the running handler.
  var mayStop: Bool { running?.survivesService ?? true }

  var isIdle: Bool { running == nil }

  var nextDeadline: Instant? { [running?.nextDeadline, left.nextDeadline].compactMap(\.self).min() }

  func timePassed(_ now: Instant) {
    running?.timePassed(now)
    left.timePassed(now)
  }

  /// The delivery that an application has and has not acknowledged.
  var delivery: Delivery? { running as? Delivery }

  // MARK: Before and after the last look

  func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress {
    do {
      let definition = try definition(of: update)
      if let reason = definition.refusal(of: update, admin: admin) { return .refused(failure(reason)) }
      switch definition.kind {
      case .program(let command):
        preparedProcess = try PreparedProcess(
          command: command, update: update, attempt: attempt, environment: environment, payload: payload(of: update),
          lockPath: files.lock(update.id))
      case .delivery:
        preparedPayload = try payload(of: update)
      case .unit:
        break
      }
      return .ready
    } catch {
      return failed("\(error)")
    }
  }

  func discardPrepared() {
    preparedPayload = []
    if let prepared = preparedProcess.take() { prepared.discard() }
  }

  /// Starts with the handler's pulse, if any; the start may then come up to 20 ms later and is reported to `inputs`.
  func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
    var progress: HandlerProgress?
    var isLate = false
    let action = { [unowned self] (now: Instant) in
      let result = startNow(update, attempt: attempt, releasedAt: releasedAt, at: now)
      if isLate { inputs?.progressed(update, result, now) } else { progress = result }
    }
    inputs?.withPulse(definitions[update.handler]?.feedbackOnApply, now, action)
    isLate = true
    return progress ?? .ready
  }

  private func startNow(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
    do {
      let definition = try definition(of: update)
      let start = HandlerStart(update, attempt: attempt, timeout: definition.timeout, releasedAt: releasedAt)
      guard let handler = try run(definition, start, now) else { return .notTaken }
      running = handler
      if let kind = definition.feedbackOnFail { inputs?.preparePulse(kind, definition.timeout) }
      let delay = releasedAt.map { handler.started - $0 }
      let after = delay.map { ", \($0.wholeMilliseconds) ms after the last touch" } ?? ""
      log.info(
        "\(update.id): handler '\(update.handler)' started (attempt \(attempt))\(after)", .handlerStarted,
        [.update(update.id), .handler(update.handler), .attempt(attempt)])
      inputs?.started(update, delay)
      return .ready
    } catch {
      discardPrepared()
      unlink(files.marker(update.id))
      return failed("\(error)")
    }
  }

  /// Nil: there is no application to apply it.
  private func run(
    _ definition: HandlerDefinition, _ start: HandlerStart, _ now: Instant
  ) throws -> (any RunningHandler)? {
    let id = start.update.id
    let ended = { [unowned self] (end: HandlerEnd, now: Instant) in handlerEnded(end, now) }
    switch definition.kind {
    case .program:
      guard let prepared = preparedProcess.take() else { throw HandlersError("handler '\(definition.name)' changed") }
      return try HandlerProcess(
        prepared, start, loop: loop, boot: boot, log: log, left: left, now: SystemClock.monotonic, ended: ended)
    case .delivery:
      let payload = preparedPayload
      preparedPayload = []
      guard let token = inputs?.offer(start.update, start.attempt, start.timeout, payload, now) else { return nil }
      return Delivery(start, receiver: token, now: now, ended: ended)
    case .unit(let name):
      return try UnitJob(
        definition.kind.unit(for: id) ?? name, start, manager: manager, markerPath: files.marker(id),
        spare: files.spare, boot: boot, log: log, now: SystemClock.monotonic, ended: ended)
    }
  }

  private func definition(of update: Update) throws(HandlersError) -> HandlerDefinition {
    if let definition = definitions[update.handler] { return definition }
    let names = definitions.keys.sorted()
    let known = names.isEmpty ? "none (add one to handlers.d)" : names.joined(separator: ", ")
    throw HandlersError("handler '\(update.handler)' is no longer configured; configured handlers: \(known)")
  }

  private func payload(of update: Update) throws -> [UInt8] { try inputs?.payload(update.id) ?? [] }

  private func failed(_ reason: String) -> HandlerProgress {
    .failed(failure(reason))
  }

  private func failure(_ reason: String) -> UpdateResult {
    UpdateResult(
      state: .failed, exitCode: nil, message: reason, finishedAt: SystemClock.wall, releaseToStartMilliseconds: nil)
  }

  private func handlerEnded(_ end: HandlerEnd, _ now: Instant) {
    guard let handler = running else { return }
    running = nil
    // What it left running may keep the lock, but nobody asks for it any more.
    unlink(files.lock(handler.update.id))
    inputs?.ended(handler.update, end, handler.started, now)
    // Not earlier: the result is stored now.
    unlink(files.marker(handler.update.id))
    files.keepSpare()
  }

  // MARK: Receivers

  /// An application has disconnected: its delivery is offered to the next.
  ///
  /// - Returns: the update that no application has now, and that must wait again.
  func receiverGone(_ token: RequestToken, at now: Instant) -> Update? {
    guard let delivery, delivery.receiver == token else { return nil }
    let update = delivery.update
    log.warning("\(update.id): the application closed its connection before acknowledging")
    let payload = (try? payload(of: update)) ?? []
    if let next = inputs?.offer(update, delivery.start.attempt, delivery.start.timeout, payload, now) {
      delivery.receiver = next
      return nil
    }
    running = nil
    return update
  }

  // MARK: D-Bus

  func busReturned(_ now: Instant) { (running as? UnitJob)?.busReturned(now) }

  func busLost(_ now: Instant) {
    (running as? UnitJob)?.busLost(now)
    probing?.probe.busLost()
  }

  // MARK: Handlers of a former run

  /// Asked at each recheck until the answer is known.
  func probe(_ update: Update, at now: Instant) -> ProbeAnswer {
    let id = update.id
    guard let marker = UnitMarker(path: files.marker(id)) else { return probeProcess(update, now) }
    guard marker.boot == boot else {
      unlink(files.marker(id))
      return .ended
    }
    if probing?.id != id {
      let probe = UnitProbe(marker, formerStart(update), manager: manager, log: log, now: now) {
        [unowned self] finding, now in
        probeFound(id, finding, now)
      }
      probing = (id, probe)
    }
    probing?.probe.ask(now)
    return .pending
  }

  /// An `Exec=` handler; in place of its result there is at most that it ended, or had to be stopped.
  private func probeProcess(_ update: Update, _ now: Instant) -> ProbeAnswer {
    let id = update.id
    if orphan?.id != id {
      let process = OrphanProcess(files.lock(id), boot: boot, formerStart(update), log: log, now: now)
      orphan = process.map { (id, $0) }
    }
    switch orphan?.process.ask(now) {
    case .running:
      return .running
    case .ended, nil:
      orphan = nil
      return .ended
    case .timedOut(let end):
      orphan = nil
      inputs?.orphanEnded(id, end, now)
      return .pending
    }
  }

  /// A former run has started it; the timeout is that of the handler as it is configured now.
  private func formerStart(_ update: Update) -> HandlerStart {
    HandlerStart(
      update, attempt: 1, timeout: definitions[update.handler]?.timeout ?? .seconds(300), releasedAt: nil)
  }

  /// Removes what former runs left of handlers whose updates are not being applied. To be called at start.
  func sweep(keeping ids: Set<UpdateID>) {
    let count = files.sweep(keeping: ids)
    if count > 0 { log.info("removed \(count) files that former handlers left") }
  }

  private func probeFound(_ id: UpdateID, _ finding: UnitProbe.Finding, _ now: Instant) {
    switch finding {
    case .ended(let end): inputs?.orphanEnded(id, end, now)
    case .noTrace: inputs?.interrupted(id, now)
    }
    unlink(files.marker(id))
    probing = nil
  }
}
