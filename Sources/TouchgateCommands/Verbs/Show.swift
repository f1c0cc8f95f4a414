import TouchgateAPI
import TouchgateClient

/// `show ID` and `status ID`: prints one update with all its fields.
struct Show: Action {
  let id: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let update = try askingAboutOne { () throws(ClientError) in try session.service.update(id) }
    try session.print(update, as: session.view.fields)
    return .success
  }
}

extension Show {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    let id = try arguments.required(.updateID)
    if arguments.has(.showPayload) { return ShowPayload(id: id) }
    if let name = arguments[.param] { return ShowParameter(id: id, name: name) }
    return Show(id: id)
  }
}

/// `show ID --payload`: prints the bytes that were submitted, and nothing else.
struct ShowPayload: Action {
  let id: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    try session.print(bytes: try askingAboutOne { () throws(ClientError) in try session.service.payload(of: id) })
    return .success
  }
}

/// `show ID --param NAME`: prints the value of one parameter.
struct ShowParameter: Action {
  let id: String
  let name: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let parameters = try askingAboutOne { () throws(ClientError) in try session.service.parameters(of: id) }
    guard let value = parameters[name] else { throw Failure(.noParameter(name), code: .failure) }
    try session.print(value + "\n")
    return .success
  }
}
