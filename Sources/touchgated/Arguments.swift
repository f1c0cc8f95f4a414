import Glibc
import Service
import ServiceConfiguration

struct Arguments {
  enum Task {
    case serve
    case checkConfiguration
    case help
    case version
  }

  struct Wrong: Error {
    let description: String
  }

  var task = Task.serve
  var folders: [String] = []
  var options: Daemon.Options

  init(_ words: some Collection<String>) throws(Wrong) {
    // systemd names its folders in the environment (StateDirectory=).
    let state = getenv("STATE_DIRECTORY").map { String(cString: $0) } ?? "/var/lib/touchgate"
    options = Daemon.Options(stateDirectory: state, socketPath: "/run/touchgate/touchgate.sock")
    var rest = Array(words)[...]
    func value(_ option: String) throws(Wrong) -> String {
      guard let value = rest.popFirst(), !value.isEmpty else { throw Wrong(description: "\(option) needs a value") }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--config": folders.append(try value(word))
      case "--state": options.stateDirectory = try value(word)
      case "--socket": options.socketPath = try value(word)
      case "--replay": options.replay = try value(word)
      case "--check-config": task = .checkConfiguration
      case "--help", "-h": task = .help
      case "--version": task = .version
      default: throw Wrong(description: "there is no option '\(word)'")
      }
    }
    if folders.isEmpty { folders = Configuration.folders }
  }

  static let usage = """
    usage: touchgated [--config DIR]... [--state DIR] [--socket PATH] [--replay FILE]
           touchgated --check-config [--config DIR]...
           touchgated --version | --help

    Holds back updates while somebody is touching the screen. Normally started by systemd:
      systemctl enable --now touchgated.service

      --config DIR    read touchgate.conf and handlers.d/ from DIR instead of the system's folders;
                      may be given several times, later ones win
      --state DIR     where the queue lives (default $STATE_DIRECTORY or /var/lib/touchgate)
      --socket PATH   where to listen (default /run/touchgate/touchgate.sock)
      --replay FILE   play a recording (evemu text) in place of touchscreens
      --check-config  say what is wrong with the configuration, with file and line; exit status 78 if anything is
    """
}
