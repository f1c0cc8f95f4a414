import Glibc
import Timeline
import TouchgateAPI
import TouchgateClient

/// `status --watch`: each second, until it is interrupted or nobody reads any more. It survives restarts of the
/// service.
func watch(_ session: Session) throws(Failure) -> ExitCode {
  // A service that hangs costs one line and not the rhythm.
  let service = TouchgateConnection(path: session.service.path, timeout: .milliseconds(900))
  let ticks = Ticks()
  var drawn = 0
  while true {
    let observed: Result<StatusReply, ClientError>
    do throws(ClientError) {
      observed = .success(try service.status())
    } catch {
      if case .noPermission = error { throw Failure(error) }
      observed = .failure(error)
    }
    if session.json {
      switch observed {
      case .success(let status): try session.printJSON(status)
      case .failure(let error): try session.printJSON(absenceProblem(error))
      }
    } else if session.isTerminal {
      let block = session.view.watchBlock(observed)
      try session.print(redrawing(block, over: drawn))
      drawn = block.count { $0 == "\n" }
    } else {
      try session.print(watchLine(observed) + "\n")
    }
    ticks.wait()
  }
}

/// What a watcher prints where standard output is not a terminal.
func watchLine(_ observed: Result<StatusReply, ClientError>) -> String {
  switch observed {
  case .success(let status): touchLine(status)
  case .failure(let error): absenceLine(error)
  }
}

/// Why there is no status, in a line.
func absenceLine(_ error: ClientError) -> String {
  switch error {
  case .notRunning, .noReply: "not running"
  case .timedOut: "not answering"
  case .noPermission, .refused, .malformedReply, .unknownWhetherTouched, .system:
    "no status (\(printable(error.description)))"
  }
}

func absenceProblem(_ error: ClientError) -> ProblemReply {
  let code =
    switch error {
    case .notRunning, .noReply: "notRunning"
    case .timedOut: "timedOut"
    case .noPermission, .refused, .malformedReply, .unknownWhetherTouched, .system: "noStatus"
    }
  return ProblemReply(Problem(code: code, message: error.description))
}

extension View {
  fileprivate func watchBlock(_ observed: Result<StatusReply, ClientError>) -> String {
    switch observed {
    case .success(let status): block(status)
    case .failure(let error): paint(absenceLine(error), .red) + "\n"
    }
  }
}

/// Puts `block` where the `lines` of the one before are. Lines are cut at the edge of the terminal instead of
/// wrapped, so that as many lines as are counted are there.
func redrawing(_ block: String, over lines: Int) -> String {
  let back = lines > 0 ? "\u{1b}[\(lines)A\u{1b}[J" : ""
  return "\(back)\u{1b}[?7l\(block)\u{1b}[?7h"
}

/// Whole seconds from the start, on the monotonic clock: no drift, and a late one does not move the next.
private struct Ticks {
  private let start = Self.now()

  func wait() {
    let second: Int64 = 1_000_000_000
    let next = start + ((Self.now() - start) / second + 1) * second
    var until = timespec(tv_sec: Int(next / second), tv_nsec: Int(next % second))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil) == EINTR {}
  }

  private static func now() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
