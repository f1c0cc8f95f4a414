import TouchgateAPI
import TouchgateClient

/// `screens`: prints one screen per line, with its devices below.
struct Screens: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    let list = try asking { () throws(ClientError) in try session.service.screens() }
    try session.print(list) { $0.screens.map(session.view.screen).joined() }
    return .success
  }
}

extension Screens {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    if let name = arguments[.forget] { return ForgetScreen(name: name) }
    return arguments.has(.all) ? AllNodes() : Screens()
  }
}

/// `screens --all`: prints one event node per line: adopted or not, and why.
struct AllNodes: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    let list = try asking { () throws(ClientError) in try session.service.screens(all: true) }
    try session.print(list) { ($0.nodes ?? []).map(session.view.node).joined() }
    return .success
  }
}

/// `screens --forget SCREEN`: stops waiting for a missing screen.
struct ForgetScreen: Action {
  let name: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let list = try askingAboutOne { () throws(ClientError) in try session.service.forget(screen: name) }
    try session.print(list) { _ in "" }
    return .success
  }
}

extension View {
  /// `/dev/input/event3 ILITEK (222a:0001): adopted as lobby, udev tags it as a touchscreen`
  func node(_ node: NodeReply) -> String {
    let screen = node.screen.map(printable)
    let verdict =
      node.adopted ? "adopted as \(screen ?? "?")" : screen.map { "not adopted, \($0) is unknown" } ?? "not adopted"
    return
      "\(printable(node.node)) \(printable(node.name)) (\(printable(node.id))): \(verdict), \(printable(node.why))\n"
  }

  /// `lobby: touched, 2 contacts, 41 s`, and a line per device.
  func screen(_ screen: ScreenReply) -> String {
    var words = [printable(screen.state)]
    if screen.contacts > 0 { words.append(contactCount(screen.contacts)) }
    if let reason = screen.reason { words.append(printable(reason)) }
    if let age = age(screen.since) { words.append(age) }
    let devices = screen.devices.map { device in
      let path = device.path.isEmpty ? "" : ", \(printable(device.path))"
      return "  \(printable(device.node)) \(printable(device.name))\(path): \(printable(device.health))\n"
    }
    return "\(printable(screen.name)): \(words.joined(separator: ", "))\n" + devices.joined()
  }
}
