import CLinux
public import Scheduling

/// The environment of `Exec=` handlers: the service's own, read once, without what is meant for the service alone, and
/// what the update adds.
public struct HandlerEnvironment: Sendable {
  private let inherited: [String]

  private static let ofService: Set<String> = [
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "JOURNAL_STREAM",
  ]

  /// `entries`: each as `NAME=VALUE`.
  public init(_ entries: [String]) {
    inherited = entries.filter { entry in
      let name = String(entry.prefix { $0 != "=" })
      return !Self.ofService.contains(name) && !name.hasPrefix("TOUCHGATE_")
    }
  }

  /// Of this process.
  public static var ofThisProcess: HandlerEnvironment {
    var entries: [String] = []
    var entry = tg_environment()
    while let pointer = entry?.pointee {
      entries.append(String(cString: pointer))
      entry = entry?.successor()
    }
    return HandlerEnvironment(entries)
  }

  /// Parameters appear as `TOUCHGATE_PARAM_` and the name in capitals.
  public func entries(_ update: Update, attempt: Int) -> [String] {
    inherited + [
      "TOUCHGATE_UPDATE_ID=\(update.id)", "TOUCHGATE_HANDLER=\(update.handler)", "TOUCHGATE_ATTEMPT=\(attempt)",
    ]
      + (update.clientID.map { ["TOUCHGATE_CLIENT_ID=\($0)"] } ?? [])
      + update.parameters.sorted { $0.key < $1.key }.map { "TOUCHGATE_PARAM_\($0.key.uppercased())=\($0.value)" }
  }
}
