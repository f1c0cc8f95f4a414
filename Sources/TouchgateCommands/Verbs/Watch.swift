import Linux
import Timeline
import TouchgateAPI
import TouchgateClient

/// `status --watch`: prints the status every second, until it is interrupted or nobody reads it any more. Continues while
/// the service restarts.
struct Watch: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    // A service that hangs costs one line, and the next second is on time.
    let service = TouchgateConnection(path: session.service.path, timeout: .milliseconds(900))
    let seconds = Seconds()
    var drawn = 0
    while true {
      let observed = try observe(service)
      if session.json {
        switch observed {
        case .success(let status): try session.printJSON(status)
        case .failure(let error): try session.printJSON(absenceProblem(error))
        }
      } else if session.output.isTerminal {
        let block = session.view.watchBlock(observed)
        try session.print(redrawing(block, over: drawn))
        drawn = block.count { $0 == "\n" }
      } else {
        try session.print(watchLine(observed) + "\n")
      }
      seconds.waitForNext()
    }
  }

  private func observe(_ service: TouchgateConnection) throws(Failure) -> Result<StatusReply, ClientError> {
    do throws(ClientError) {
      return .success(try service.status())
    } catch {
      if case .noPermission = error { throw Failure(error) }
      return .failure(error)
    }
  }
}

/// The line of a second, if standard output is not a terminal.
func watchLine(_ observed: Result<StatusReply, ClientError>) -> String {
  switch observed {
  case .success(let status): touchLine(status)
  case .failure(let error): absenceLine(error)
  }
}

/// Why there is no status, in one line.
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

/// Draws `block` over the `lines` of the previous one. Long lines are cut at the edge of the terminal and not wrapped, so
/// that the count of lines is right.
func redrawing(_ block: String, over lines: Int) -> String {
  let back = lines > 0 ? "\u{1b}[\(lines)A\u{1b}[J" : ""
  return "\(back)\u{1b}[?7l\(block)\u{1b}[?7h"
}

/// Whole seconds since the start, on the monotonic clock: there is no drift, and a late one does not delay the next.
private struct Seconds {
  private let start = SystemClock.monotonic

  func waitForNext() {
    let elapsed = (SystemClock.monotonic - start).wholeMilliseconds / 1000
    SystemClock.sleep(until: start + .seconds(elapsed + 1))
  }
}
