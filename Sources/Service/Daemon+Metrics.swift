import Gating
import Linux
import Scheduling
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI

extension Daemon {
  /// `GET /metrics`.
  func metricsReply(_ now: Instant) -> HTTPResponse {
    var text = MetricsText()
    text.add("touchgate_build_info", .gauge, "Always 1; which version runs.", 1, ("version", Version.text))
    addQueue(&text, now)
    addScreens(&text)
    let guards = touch.guards.counts
    text.add("touchgate_looks_total", .counter, "How often all screens were looked at again.", metrics.looks)
    text.add("touchgate_commits_total", .counter, "Last looks before a start.", metrics.commits)
    text.add(
      "touchgate_aborts_total", .counter, "Starts called off, because somebody touched at the last moment.",
      guards.aborts)
    text.add("touchgate_grabs_total", .counter, "Starts for which devices were grabbed.", guards.grabs)
    text.add("touchgate_swallowed_contacts_total", .counter, "Contacts that began within a grab.", guards.swallowed)
    text.add(
      "touchgate_released_over_total", .counter, "Grabs that ended while something was down.", guards.releasedOver)
    text.add(
      "touchgate_grabs_refused_total", .counter, "Grabs refused, because another process holds the device.",
      guards.busy)
    text.add(
      "touchgate_repairs_total", .counter, "Differences between the events and the kernel's tables that were repaired.",
      touch.repaired)
    text.add("touchgate_stuck_contacts_total", .counter, "Contacts found stuck (StuckAfter=).", touch.stuck)
    text.add("touchgate_reloads_total", .counter, "How often the configuration was reloaded.", metrics.reloads)
    return HTTPResponse(status: 200, body: Array(text.text.utf8), contentType: MetricsText.contentType)
  }

  private func addQueue(_ text: inout MetricsText, _ now: Instant) {
    text.add("touchgate_updates_waiting", .gauge, "Updates that wait.", scheduler.waitingCount)
    text.add("touchgate_updates_applying", .gauge, "Updates being applied: 0 or 1.", scheduler.applying == nil ? 0 : 1)
    let oldest = scheduler.oldestWaiting.flatMap(scheduler.update).map { SystemClock.wall - $0.createdAt } ?? .zero
    text.add(
      "touchgate_oldest_waiting_seconds", .gauge, "How long the oldest has waited; 0 where nothing waits.",
      max(oldest, .zero).inSeconds)
    text.add("touchgate_paused", .gauge, "1 while an operator has stopped everything.", scheduler.isPaused ? 1 : 0)
    text.add("touchgate_holds", .gauge, "Holds in force.", scheduler.activeHolds.count)
    text.add("touchgate_updates_accepted_total", .counter, "Updates accepted.", metrics.accepted)
    text.add(
      "touchgate_updates_ended_total", .counter, "Updates that have ended, by how.",
      FinalState.allCases.map { (("state", $0.rawValue), metrics.ended[$0] ?? 0) })
    text.add("touchgate_handlers_started_total", .counter, "Handlers started, each attempt counted.", metrics.started)
    text.add(
      "touchgate_release_to_start_seconds", "From the end of the last contact to the start of a handler.",
      metrics.releaseToStart)
    text.add("touchgate_handler_seconds", "How long handlers ran.", metrics.handlerTime)
  }

  private func addScreens(_ text: inout MetricsText) {
    text.add("touchgate_touched", .gauge, "1 while somebody touches a screen.", touch.screens.isTouched ? 1 : 0)
    let gates = touch.screens.gates.sorted { $0.key < $1.key }
    text.add(
      "touchgate_contacts", .gauge, "Contacts on a screen.", gates.map { (("screen", $0.key), $0.value.contacts) })
    text.add(
      "touchgate_screen_clear", .gauge, "1 while nobody touches a screen, and that is known.",
      gates.map { name, gate in
        if case .clear = gate.state { return (("screen", name), 1) } else { return (("screen", name), 0) }
      })
    text.add("touchgate_screens_missing", .gauge, "Screens that should be there.", touch.screens.absences.count)
  }
}
