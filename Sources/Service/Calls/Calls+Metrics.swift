import Gating
import HTTPTypes
import Linux
import Scheduling
import Timeline
import TouchDevices
import TouchgateAPI

/// `GET /metrics`.
extension Calls {
  func metricsReply(_ caller: Caller) -> HTTPResponse {
    var text = MetricsText()
    text.add("touchgate_build_info", .gauge, "Always 1; the version is a label.", 1, ("version", Version.text))
    addQueue(&text)
    addScreens(&text)
    let guards = input.guards.counts
    text.add("touchgate_looks_total", .counter, "Rechecks of all screens.", metrics.rechecks)
    text.add("touchgate_commits_total", .counter, "Last looks before a start.", metrics.lastLooks)
    text.add(
      "touchgate_aborts_total", .counter, "Starts cancelled by a touch during the last look.",
      guards.aborts)
    text.add("touchgate_grabs_total", .counter, "Starts for which devices were grabbed.", guards.grabs)
    text.add("touchgate_swallowed_contacts_total", .counter, "Contacts that began during a grab.", guards.swallowed)
    text.add(
      "touchgate_released_over_total", .counter, "Grabs that ended while something was down.", guards.releasedOver)
    text.add(
      "touchgate_grabs_refused_total", .counter, "Grabs refused because another process holds the device.",
      guards.busy)
    text.add(
      "touchgate_repairs_total", .counter, "Differences between the events and the kernel's tables that were repaired.",
      input.repaired)
    text.add("touchgate_stuck_contacts_total", .counter, "Contacts found stuck (StuckAfter=).", input.stuck)
    text.add("touchgate_reloads_total", .counter, "Reloads of the configuration.", metrics.reloads)
    return HTTPResponse(status: 200, body: Array(text.text.utf8), contentType: MetricsText.contentType)
  }

  private func addQueue(_ text: inout MetricsText) {
    text.add("touchgate_updates_waiting", .gauge, "Updates waiting.", engine.scheduler.waitingCount)
    text.add(
      "touchgate_updates_applying", .gauge, "Updates being applied: 0 or 1.", engine.scheduler.applying == nil ? 0 : 1)
    let oldest =
      engine.scheduler.oldestWaiting.flatMap(engine.scheduler.update).map { SystemClock.wall - $0.createdAt } ?? .zero
    text.add(
      "touchgate_oldest_waiting_seconds", .gauge, "How long the oldest update has been waiting; 0 if none is.",
      max(oldest, .zero).inSeconds)
    text.add("touchgate_paused", .gauge, "1 while an operator has paused touchgate.", engine.scheduler.isPaused ? 1 : 0)
    text.add("touchgate_holds", .gauge, "Active holds.", engine.scheduler.activeHolds.count)
    text.add("touchgate_updates_accepted_total", .counter, "Updates accepted.", metrics.accepted)
    text.add(
      "touchgate_updates_ended_total", .counter, "Updates that have ended, by final state.",
      FinalState.allCases.map { (("state", $0.rawValue), metrics.ended[$0] ?? 0) })
    text.add("touchgate_handlers_started_total", .counter, "Handlers started, each attempt counted.", metrics.started)
    text.add(
      "touchgate_release_to_start_seconds", "From the end of the last contact to the start of a handler.",
      metrics.releaseToStart)
    text.add("touchgate_handler_seconds", "How long handlers ran.", metrics.handlerTime)
  }

  private func addScreens(_ text: inout MetricsText) {
    text.add("touchgate_touched", .gauge, "1 while somebody touches a screen.", input.screens.isTouched ? 1 : 0)
    let gates = input.screens.gates.sorted { $0.key < $1.key }
    text.add(
      "touchgate_contacts", .gauge, "Contacts on a screen.", gates.map { (("screen", $0.key), $0.value.contacts) })
    text.add(
      "touchgate_contacts_begun_total", .counter, "Contacts that have begun on a screen since it was found.",
      gates.map { (("screen", $0.key), $0.value.begun) })
    text.add(
      "touchgate_screen_clear", .gauge, "1 while a screen is known to be clear.",
      gates.map { name, gate in
        if case .clear = gate.state { return (("screen", name), 1) } else { return (("screen", name), 0) }
      })
    let turns = engine.scheduler.turns
    text.add(
      "touchgate_turns", .gauge, "Turns, by whether they wait or last.",
      [
        (("state", "waiting"), turns.count { $0.begun == nil }),
        (("state", "lasting"), turns.count { $0.begun != nil }),
      ])
    text.add("touchgate_screens_missing", .gauge, "Screens that are missing.", input.screens.absences.count)
  }
}
