public import HTTPTypes

extension Endpoint {
  /// The call that a request makes. Checks its path and method, the names in its query, the type of its body, and that
  /// only calls that read a body have one. Values in query and body are checked by the code that reads them.
  public static func call(for request: HTTPRequest) throws(CallRefusal) -> Call {
    // Browsers send Origin; no web page is a client.
    if request.origin != nil { throw CallProblem.fromWebPage.refusal }
    let (endpoint, call) = try match(request.method, request.path)
    try endpoint.check(request)
    return call
  }

  /// The endpoint of a method and a path.
  static func match(_ method: String, _ path: String) throws(CallRefusal) -> (Endpoint, Call) {
    var allowed: [String] = []
    for endpoint in table {
      guard let call = endpoint.call(path) else { continue }
      if endpoint.method.rawValue == method { return (endpoint, call) }
      allowed.append(endpoint.method.rawValue)
    }
    if allowed.isEmpty { throw CallProblem.unknownPath(path).refusal }
    throw CallProblem.wrongMethod(path: path, allowed: allowed.sorted()).refusal
  }

  private func check(_ request: HTTPRequest) throws(CallRefusal) {
    try Query.check(
      request.query, known: Set(query.map(\.name)), repeatable: Set(query.filter(\.isRepeatable).map(\.name)),
      required: Set(query.filter(\.isRequired).map(\.name)))
    if request.body.isEmpty { return }
    guard request.declaresJSON else { throw CallProblem.notJSON(contentType: request.contentType).refusal }
    switch body {
    case .none: _ = try StrictJSON.decode(request.body, as: NoFields.self, fields: [])
    case .optional, .required: break  // Checked by who decodes it.
    }
  }

  private struct NoFields: Decodable {}
}
