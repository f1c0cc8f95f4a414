import EventLoop
import Scheduling
import SocketServer
import SystemBus
import Timeline
import UpdateStore

/// Which owner hears of what. To be called once, before the loop runs.
extension Owners {
  func connect() {
    Self.connect(engine, runner, calls, haptics, metrics)
    sleep.handler = { [runner] in runner.update?.handler }
    bus.connected = { [unowned sleep, runner] now in
      sleep.busReturned()
      runner.busReturned(now)
    }
    bus.disconnected = { [unowned sleep, runner] failure, now in
      sleep.busLost(failure, now)
      runner.busLost(now)
    }
  }

  /// Those between a request and a handler, without the machine around them.
  static func connect(
    _ engine: Engine, _ runner: HandlerRunner, _ calls: Calls, _ haptics: FeedbackDesk, _ metrics: Metrics
  ) {
    runner.connect(
      HandlerRunner.Inputs(
        progressed: { [engine] update, progress, now in engine.progressed(update, progress, now) },
        ended: { [engine] update, end, started, now in engine.handlerEnded(update, end, ran: now - started, now) },
        orphanEnded: { [engine] id, end, now in engine.orphanEnded(id, end, now) },
        interrupted: { [engine] id, now in engine.feed { $0.probed(id, stillRunning: false, at: now) } },
        payload: { [engine] id in try engine.store.payload(of: id) ?? [] },
        offer: { [calls] in calls.offer($0, attempt: $1, timeout: $2, payload: $3, $4) },
        withPulse: { [haptics] in haptics.withPulse($0, $1, $2) },
        preparePulse: { [haptics] kind, limit in haptics.prepare(kind, for: limit) },
        started: { [calls, metrics] update, delay in
          calls.note(update.id, update.handler, "applying")
          metrics.started(after: delay)
        }))
    engine.announced = { [calls] announcement, now in calls.announced(announcement, now) }
    engine.turnStarts = { [calls] turn, releasedAt, now in calls.startTurn(turn.id, releasedAt, now) }
    engine.guardKind = { [calls] work in calls.guardKind(work) }
  }

  /// Clients that connect, and requests of those that have. The sources end when they are released.
  func watchRequests() throws -> [Source] {
    [
      try loop.watch(server.listeningDescriptor, .requests) { [server, calls] now in
        server.acceptConnections(now: now)
        calls.takeRequests(now)
      },
      try loop.watch(server.eventDescriptor, .requests) { [server, calls] now in
        server.run(now: now)
        calls.takeRequests(now)
      },
    ]
  }
}
