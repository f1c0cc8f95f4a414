import TouchgateAPI

/// The state of the screens in one line, for `status --watch`.
func touchLine(_ status: StatusReply) -> String {
  if status.touched {
    return touchedBy(status, withDevices: false).map { "touched (\($0))" } ?? "touched"
  }
  if status.gate.state == "unknown" { return "unknown (\(printable(status.gate.reason ?? "no reason given")))" }
  return "not touched"
}

/// `1 contact on lobby, 2 contacts on till`; nil if the reply does not say.
private func touchedBy(_ status: StatusReply, withDevices: Bool) -> String? {
  let touched = status.screens.filter { $0.contacts > 0 }
  if !touched.isEmpty {
    return touched.map { screen in
      // A screen without a name has the name of its device.
      let devices = screen.devices.map(\.name).filter { $0 != screen.name }.map(printable).joined(separator: ", ")
      let suffix = withDevices && !devices.isEmpty ? " (\(devices))" : ""
      return "\(contactCount(screen.contacts)) on \(printable(screen.name))\(suffix)"
    }.joined(separator: ", ")
  }
  if status.contacts > 0 { return contactCount(status.contacts) }
  let grace = status.screens.filter { $0.state == "touched" }.map { printable($0.name) }
  return grace.isEmpty ? nil : "grace time on \(grace.joined(separator: ", "))"
}

extension View {
  /// `touchgate status`: a few lines, each only if there is something to report.
  func block(_ status: StatusReply) -> String {
    var lines = [gateLine(status)]
    if let pause = status.paused {
      let why = pause.reason.isEmpty ? "" : ": \(printable(pause.reason))"
      let since = age(pause.since).map { " for \($0)" } ?? ""
      lines.append(label("paused") + "by user \(pause.uid)\(since)\(why); `touchgate resume` ends it")
    }
    lines += waitingLines(status)
    if let applying = status.updates["applying"], applying > 0 { lines.append(label("applying") + "\(applying)") }
    if let last = status.lastResult { lines.append(resultLine(last)) }
    return lines.map { $0 + "\n" }.joined() + warnings(status.warnings)
  }

  /// One line each.
  func warnings(_ warnings: [String]) -> String { warnings.map { label("warning") + printable($0) + "\n" }.joined() }

  private func gateLine(_ status: StatusReply) -> String {
    let state = status.touched ? "touched" : status.gate.state
    let what =
      switch state {
      case "touched": touchedBy(status, withDevices: true)
      case "unknown": status.gate.reason.map(printable)
      default: nil as String?
      }
    return label(state) + [what, age(status.gate.since)].compactMap { $0 }.joined(separator: ", ")
  }

  private func waitingLines(_ status: StatusReply) -> [String] {
    guard let waiting = status.updates["waiting"], waiting > 0 else { return [] }
    guard let oldest = status.oldestWaiting else { return [label("waiting") + "\(waiting)"] }
    var words = ["\(waiting), oldest \(oldest.handler) \(oldest.id)"]
    if let age = age(oldest.createdAt) { words.append(age) }
    if let checks = oldest.checks { words.append("\(checks) \(checks == 1 ? "recheck" : "rechecks")") }
    return [label("waiting") + words.joined(separator: ", ")]
      + oldest.blockers.map { label("") + "blocked by \(briefly($0))" }
  }

  private func resultLine(_ update: UpdateReply) -> String {
    guard let result = update.result else { return label(update.state) + update.handler }
    var words = ["\(clock(result.finishedAt)) \(update.handler)"]
    if update.state != "applied" { words[0] += " \(update.id)" }
    if let code = result.exitCode { words.append("exit \(code)") }
    if update.state != "applied" { words.append(firstLine(result.message)) }
    if let delay = result.releaseToStartMs { words.append("started \(delay) ms after release") }
    return label(update.state) + words.joined(separator: ", ")
  }
}

private func firstLine(_ text: String) -> String {
  printable(String(text.prefix { $0 != "\n" }))
}
