import Glibc
import Service
import ServiceConfiguration

/// The command line of the service.
struct Arguments {
  enum Task {
    case serve
    case checkConfiguration
    /// Write the polkit rule to this path.
    case allowUnits(String)
    case help
    case version
  }

  /// What is wrong with an argument.
  struct UsageError: Error {
    let description: String
  }

  var task = Task.serve
  var folders: [String] = []
  var options: DaemonOptions

  init(_ words: some Collection<String>) throws(UsageError) {
    // Set by systemd (StateDirectory=).
    let state = getenv("STATE_DIRECTORY").map { String(cString: $0) } ?? "/var/lib/touchgate"
    options = DaemonOptions(stateDirectory: state, socketPath: "/run/touchgate/touchgate.sock")
    var rest = Array(words)[...]
    func value(_ option: String) throws(UsageError) -> String {
      guard let value = rest.popFirst(), !value.isEmpty else {
        throw UsageError(description: "\(option) requires a value")
      }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--config": folders.append(try value(word))
      case "--state": options.stateDirectory = try value(word)
      case "--socket": options.socketPath = try value(word)
      case "--replay": options.replay = try value(word)
      case "--check-config": task = .checkConfiguration
      case "--allow-units": task = .allowUnits(try value(word))
      case "--help", "-h": task = .help
      case "--version": task = .version
      case _ where word.hasPrefix("-"): throw UsageError(description: "unknown option '\(word)'")
      default: throw UsageError(description: "unexpected argument '\(word)'")
      }
    }
    if folders.isEmpty { folders = Configuration.folders }
  }

  static let usage = """
    usage: touchgated [--config DIR]... [--state DIR] [--socket PATH] [--replay FILE]
           touchgated --check-config [--config DIR]...
           touchgated --allow-units FILE [--config DIR]...
           touchgated --version | --help

    Holds back updates while somebody touches the screen. Normally started by systemd:
      systemctl enable --now touchgated.service

      --config DIR    read touchgate.conf and handlers.d/ from DIR instead of the system's folders;
                      if given several times, later folders override earlier ones
      --state DIR     store the queue in DIR; default: $STATE_DIRECTORY or /var/lib/touchgate
      --socket PATH   listen on PATH; default: /run/touchgate/touchgate.sock
      --replay FILE   play a recording (evemu text) instead of reading touchscreens
      --check-config  report all problems of the configuration with file and line, and exit; status 78 if the service would
                      not start with it or not reload it. Root checks as the user touchgate
      --allow-units FILE
                      write FILE, a rule of polkit that allows the service to start and stop the units of its handlers;
                      reads only files that root owns and nobody else may write; touchgated.service runs it as root
    """
}
