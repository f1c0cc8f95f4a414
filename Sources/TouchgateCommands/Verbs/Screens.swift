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
  init(_ arguments: Arguments) throws(UsageError) { self.init() }
}

extension View {
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
