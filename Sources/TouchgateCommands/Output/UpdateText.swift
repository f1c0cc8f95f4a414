import Timeline
import TouchgateAPI

extension View {
  /// `list`: id, handler, state, age, first blocker; in columns.
  func table(_ updates: [UpdateReply]) -> String {
    let rows = updates.map { update in
      [
        printable(update.id), printable(update.handler), printable(update.state), age(update.createdAt) ?? "",
        update.blockers.first.map { "blocked by " + briefly($0) } ?? "",
      ]
    }
    let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() where column == 0 || !row[column...].allSatisfy(\.isEmpty) {
        if column > 0 { line += "  " }
        let isLast = row[(column + 1)...].allSatisfy(\.isEmpty)
        let padding = isLast ? "" : String(repeating: " ", count: widths[column] - cell.count)
        line += (column == 2 ? paint(cell, stateColour(cell)) : cell) + padding
      }
      return line + "\n"
    }.joined()
  }

  /// `show`: one field per line.
  func fields(_ update: UpdateReply) -> String {
    var lines = [
      label("id") + printable(update.id),
      label("handler") + printable(update.handler),
    ]
    if let name = update.clientId { lines.insert(label("client id") + printable(name), at: 1) }
    if let uid = update.uid { lines.append(label("user") + "\(uid)") }
    if let screen = update.screen { lines.append(label("screen") + printable(screen)) }
    if let key = update.key { lines.append(label("key") + printable(key)) }
    if let priority = update.priority, priority != 0 { lines.append(label("priority") + "\(priority)") }
    if let quiet = update.quietPeriod { lines.append(label("quiet") + printable(quiet)) }
    if let time = update.notBefore { lines.append(label("not before") + clock(time)) }
    if let time = update.deadline {
      lines.append(label("deadline") + clock(time) + (update.onDeadline.map { ", then \(printable($0))" } ?? ""))
    }
    lines += [
      label("state") + paint(printable(update.state), stateColour(update.state)),
      label("created") + clock(update.createdAt) + (age(update.createdAt).map { ", \($0) ago" } ?? ""),
      label("attempts") + "\(update.attempts)",
    ]
    if let checks = update.checks { lines.append(label("checks") + "\(checks)") }
    lines += update.blockers.map { label("blocked") + "by \(blocker($0))" }
    if let blocked = update.blockedMs.map(times), !blocked.isEmpty { lines.append(label("was blocked") + blocked) }
    if let codes = update.overrode {
      lines.append(label("forced") + "over \(codes.map(printable).joined(separator: ", "))")
    }
    if let result = update.result {
      lines.append(label("finished") + clock(result.finishedAt))
      if let successor = result.successor { lines.append(label("successor") + printable(successor)) }
      if let code = result.exitCode { lines.append(label("exit") + "\(code)") }
      if let delay = result.releaseToStartMs { lines.append(label("started") + "\(delay) ms after release") }
      let message = result.message.split(separator: "\n").map { printable(String($0)) }
      for (index, line) in message.enumerated() { lines.append(label(index == 0 ? "message" : "") + line) }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// `why ID`: one blocker per line.
  func blockers(_ update: UpdateReply) -> String {
    var text = update.blockers.map { blocker($0) + "\n" }.joined()
    if update.blockers.isEmpty {
      let successor = update.result?.successor.map { " by \(printable($0))" } ?? ""
      text = "nothing blocks it: \(printable(update.state))\(successor)\n"
    }
    if let blocked = update.blockedMs.map(times), !blocked.isEmpty { text += "blocked so far: \(blocked)\n" }
    return text
  }

  /// `why`: one line per update, and below it one line per blocker.
  func blockersOfAll(_ updates: [UpdateReply]) -> String {
    if updates.isEmpty { return "no updates are waiting\n" }
    return updates.map { update in
      let words = ["\(printable(update.id)) \(printable(update.handler))", age(update.createdAt)].compactMap { $0 }
      let lines = blockers(update).split(separator: "\n").map { "  \($0)\n" }
      return words.joined(separator: ", ") + "\n" + lines.joined()
    }.joined()
  }

  /// `why`, at its end: one line per update that was not applied, and below it what had blocked it.
  func endsOfAll(_ updates: [UpdateReply]) -> String {
    updates.map { update in
      let name = "\(printable(update.id)) \(printable(update.handler))"
      let message = update.result.map { ": \(oneLine($0.message))" } ?? ""
      let blocked = update.blockedMs.map(times) ?? ""
      return "\(name), \(printable(update.state))\(message)\n" + (blocked.isEmpty ? "" : "  was blocked: \(blocked)\n")
    }.joined()
  }

  /// `touched 41 s, settling 3 s`, longest first.
  private func times(_ blocked: [String: Int64]) -> String {
    blocked.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\(printable($0.key)) \(TimeSpan.describe(.milliseconds($0.value)))" }.joined(separator: ", ")
  }

  /// `touched: clears when the last contact ends`
  func briefly(_ blocker: BlockerReply) -> String {
    let reason = blocker.reason.map { " (\(printable($0)))" } ?? ""
    return "\(printable(blocker.code))\(reason): clears \(printable(blocker.clears))"
  }

  /// `touched for 41 s on lobby, 2 contacts: clears when the last contact ends`
  func blocker(_ blocker: BlockerReply) -> String {
    var words = [printable(blocker.code)]
    if let age = age(blocker.since) { words[0] += " for \(age)" }
    if let screen = blocker.screen { words[0] += " on \(printable(screen))" }
    if let contacts = blocker.contacts { words.append(contactCount(contacts)) }
    words += [blocker.device, blocker.owner, blocker.reason].compactMap { $0.map(printable) }
    return "\(words.joined(separator: ", ")): clears \(printable(blocker.clears))"
  }

  private func stateColour(_ state: String) -> Colour? {
    switch state {
    case "applied": .green
    case "failed": .red
    default: nil
    }
  }
}
