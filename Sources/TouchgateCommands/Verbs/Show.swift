import TouchgateAPI
import TouchgateClient

/// `show ID` and `status ID`: prints one update with all its fields.
struct Show: Action {
  let update: ChosenUpdate

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let reply = try askingAboutOne { () throws(ClientError) in
      try session.service.update(update.id, user: update.user)
    }
    try session.print(reply, as: session.view.fields)
    return .success
  }
}

extension Show {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    let update = try arguments.requiredUpdate(.updateID)
    if arguments.has(.showPayload) { return ShowPayload(update: update) }
    if let name = arguments[.param] { return ShowParameter(update: update, name: name) }
    return Show(update: update)
  }
}

/// `show ID --payload`: prints the bytes that were submitted, and nothing else.
struct ShowPayload: Action {
  let update: ChosenUpdate

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let payload = try askingAboutOne { () throws(ClientError) in
      try session.service.payload(of: update.id, user: update.user)
    }
    try session.print(bytes: payload)
    return .success
  }
}

/// `show ID --param NAME`: prints the value of one parameter.
struct ShowParameter: Action {
  let update: ChosenUpdate
  let name: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let parameters = try askingAboutOne { () throws(ClientError) in
      try session.service.parameters(of: update.id, user: update.user)
    }
    guard let value = parameters[name] else { throw Failure(.noParameter(name), code: .failure) }
    try session.print(value + "\n")
    return .success
  }
}
