import ControlAPI
import DeviceRules
import Gating
import HTTPTypes
import Haptics
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI
import UpdateStore

/// What the service reports about itself, and feedback.
extension Calls {
  var snapshot: ScreensSnapshot {
    let devices = input.devices.map {
      DeviceView(screen: $0.screen, node: $0.node, name: $0.name, path: $0.path, health: $0.health)
    }
    return ScreensSnapshot(
      screens: input.screens, devices: devices, sleepsSince: input.sleepsSince,
      pending: input.pendingNode.map { ScreensSnapshot.PendingNode(node: $0.node.node, since: $0.since) })
  }

  /// The slot tables are read first, so that the answer is right now, whether anything waits or not.
  func status(_ caller: Caller) throws -> HTTPResponse {
    engine.recheckNow(caller.now)
    let (replies, snapshot, store, scheduler) = (replies(caller.now), snapshot, engine.store, engine.scheduler)
    return Replies.json(
      200,
      StatusReply(
        version: Version.text, touched: snapshot.screens.isTouched, contacts: snapshot.screens.contacts,
        gate: replies.machine(snapshot), screens: replies.screens(snapshot),
        updates: store.counts, oldestWaiting: try scheduler.oldestWaiting.flatMap(store.find).map(replies.update),
        lastResult: try store.lastFinished().map(replies.update), holds: scheduler.activeHolds.map(replies.hold),
        turns: scheduler.turns.map(replies.turn),
        paused: scheduler.pause.map(replies.pause),
        guard: guardReply,
        warnings: warnings(caller.now),
        haptics: HapticsReply(device: haptics.deviceName, silentBecause: haptics.feedback.silentBecause)))
  }

  func warnings(_ now: Instant) -> [String] {
    storeWarnings + clockWarning(now) + input.warnings + starvationWarning(now)
      + overrunTurns.warnings(at: SystemClock.wall)
      + haptics.warnings
  }

  private var guardReply: GuardReply {
    let counts = input.guards.counts
    var reply = GuardReply()
    (reply.grabs, reply.aborts, reply.swallowed) = (counts.grabs, counts.aborts, counts.swallowed)
    (reply.releasedOver, reply.busy) = (counts.releasedOver, counts.busy)
    return reply
  }

  /// About the update that has waited longest.
  private func starvationWarning(_ now: Instant) -> [String] {
    let scheduler = engine.scheduler
    guard let oldest = scheduler.oldestWaiting, let blocked = scheduler.blockedTimes(of: oldest, at: now) else {
      return []
    }
    let warning = StarvationWarning.text(oldest, blocked: blocked, touches: input.screens.gates.mapValues(\.begun))
    return warning.map { [$0] } ?? []
  }

  /// Only if somebody waits for the time of day.
  private func clockWarning(_ now: Instant) -> [String] {
    if engine.clock.isSet || !engine.scheduler.hasTimes { return [] }
    return [
      "clockUnset: it is not known whether the clock is right, and updates with a time such as 04:00 wait for that: "
        + "synchronize it (`timedatectl` shows whether it is), or see ClockWait= and Trust= in touchgate.conf(5)"
    ]
  }

  private var storeWarnings: [String] {
    var warnings = engine.store.notices
    if engine.store.isRemoved { warnings.append("\(StoreError.removed(path: engine.store.path))") }
    if engine.store.isFull {
      warnings.append(
        "storeFull: the disk of \(stateDirectory) is full: new updates are refused, waiting updates are still applied; "
          + "free some space")
    }
    return warnings
  }

  func screens(_ caller: Caller) throws -> HTTPResponse {
    let all = try caller.query.flag("all")
    engine.recheckNow(caller.now)
    return Replies.json(200, screenList(caller.now, all: all))
  }

  private func screenList(_ now: Instant, all: Bool = false) -> ScreenListReply {
    let nodes = input.nodes.map {
      NodeReply(
        node: $0.node, name: $0.name, path: $0.path, id: $0.identity, adopted: $0.isAdopted, screen: $0.screen,
        why: $0.why)
    }
    return ScreenListReply(screens: replies(now).screens(snapshot), nodes: all ? nodes : nil)
  }

  /// A missing screen is no longer waited for, now and after a restart.
  func forgetScreen(_ caller: Caller) throws -> HTTPResponse {
    try permissions(caller).require(.admin)
    let name = caller.query["name"] ?? ""
    if input.screens.gates[name] != nil { throw StateProblem.screenPresent(name).refusal }
    if input.screens.isNamed(name) { throw StateProblem.screenNamed(name).refusal }
    guard touch.isRemembered(name) else {
      throw StateProblem.noMissingScreen(name, missing: Set(input.screens.absences.keys)).refusal
    }
    touch.forget(name)
    log.notice("screen '\(name)' forgotten by \(caller.name)")
    engine.feedGateStates(caller.now)
    return Replies.json(200, screenList(caller.now))
  }

  /// Answered at the moment of the pulse, or at once without one.
  func feedback(_ caller: Caller) throws -> HTTPResponse? {
    let name = try CheckedFeedback(body: caller.request.body, kinds: FeedbackKind.allCases.map(\.rawValue)).kind
    guard let kind = FeedbackKind(rawValue: name) else { return nil }
    haptics.feedback.play(kind) { [unowned self] outcome in
      let reply = FeedbackReply(
        kind: name, silentBecause: outcome.silentBecause, prepareMs: outcome.preparing?.milliseconds,
        fireMs: outcome.firing?.milliseconds, skewMs: outcome.skew?.milliseconds)
      server.respond(caller.token, Replies.json(200, reply))
    }
    return nil
  }
}

extension Feedback.Outcome {
  fileprivate var silentBecause: String? {
    switch ending {
    case .played: nil
    case .silent(let reason): reason
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Double { Double(wholeNanoseconds / 1000) / 1000 }
}
