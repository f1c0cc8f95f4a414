import HTTPTypes
import TouchgateAPI

/// Which call of the socket a request is.
enum Call: Equatable {
  case submit
  case list
  case show(String)
  case payload(String)
  case parameters(String)
  case cancel(String)
  case hurry(String)
  case force(String)
  case retry(String)
  case pause
  case resume
  case wait(String)
  case why(String)
  case whyAll
  case quiet
  case turn
  case hold
  case holds
  case release(String)
  case screens
  case events
  case contract
  case receive
  case acknowledge(String)
  case refuse(String)
  case status
  case feedback
  case about
  case metrics

  /// Nil for a path that does not exist; `allowed` where only the method is wrong.
  enum Match: Equatable {
    case call(Call)
    case wrongMethod(allowed: String)
    case noSuchPath
  }

  static func match(_ method: String, _ path: String) -> Match {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    let byMethod: [String: Call]
    switch parts {
    case ["v1"]: byMethod = ["GET": .about]
    case ["metrics"]: byMethod = ["GET": .metrics]
    case ["v1", "status"]: byMethod = ["GET": .status]
    case ["v1", "feedback"]: byMethod = ["POST": .feedback]
    case ["v1", "updates"]: byMethod = ["GET": .list, "POST": .submit]
    case let parts where parts.count == 3 && parts[0] == "v1" && parts[1] == "updates" && !parts[2].isEmpty:
      byMethod = ["GET": .show(parts[2]), "DELETE": .cancel(parts[2])]
    case let parts where parts.count == 4 && parts.prefix(2) == ["v1", "updates"] && !parts[2].isEmpty:
      switch parts[3] {
      case "payload": byMethod = ["GET": .payload(parts[2])]
      case "parameters": byMethod = ["GET": .parameters(parts[2])]
      case "apply": byMethod = ["POST": .hurry(parts[2])]
      case "force": byMethod = ["POST": .force(parts[2])]
      case "retry": byMethod = ["POST": .retry(parts[2])]
      case "wait": byMethod = ["GET": .wait(parts[2])]
      case "why": byMethod = ["GET": .why(parts[2])]
      default: return .noSuchPath
      }
    case ["v1", "why"]: byMethod = ["GET": .whyAll]
    case ["v1", "quiet"]: byMethod = ["GET": .quiet]
    case ["v1", "turns"]: byMethod = ["POST": .turn]
    case ["v1", "holds"]: byMethod = ["GET": .holds, "POST": .hold]
    case let parts where parts.count == 3 && parts.prefix(2) == ["v1", "holds"] && !parts[2].isEmpty:
      byMethod = ["DELETE": .release(parts[2])]
    case ["v1", "screens"]: byMethod = ["GET": .screens]
    case ["v1", "events"]: byMethod = ["GET": .events]
    case ["v1", "deliveries"]: byMethod = ["GET": .receive]
    case let parts where parts.count == 4 && parts.prefix(2) == ["v1", "deliveries"] && !parts[2].isEmpty:
      switch parts[3] {
      case "ack": byMethod = ["POST": .acknowledge(parts[2])]
      case "nack": byMethod = ["POST": .refuse(parts[2])]
      default: return .noSuchPath
      }
    case ["v1", "openapi.yaml"]: byMethod = ["GET": .contract]
    case ["v1", "pause"]: byMethod = ["POST": .pause]
    case ["v1", "resume"]: byMethod = ["POST": .resume]
    default: return .noSuchPath
    }
    guard let call = byMethod[method] else {
      return .wrongMethod(allowed: byMethod.keys.sorted().joined(separator: ", "))
    }
    return .call(call)
  }
}
