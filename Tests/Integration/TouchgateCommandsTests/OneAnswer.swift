import FoundationEssentials
import Glibc
import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

/// Answers one request in place of the service, on a thread of its own.
final class OneAnswer {
  let path: String
  private let folder: String
  private var thread = pthread_t()
  private let work: Unmanaged<Work>
  private var isServing = true

  /// `isLine`: the first line of a stream.
  init(status: Int = 200, _ body: some Encodable, isLine: Bool = false) throws {
    var template = Array("/tmp/touchgate-answer-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = folder + "/s"
    let listening = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { [path] in $0.copyBytes(from: path.utf8) }
    let bound = withUnsafeBytes(of: address) {
      bind(listening, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    try #require(bound == 0 && listen(listening, 1) == 0)
    let head = "HTTP/1.0 \(status) x\r\n\r\n"
    work = Unmanaged.passRetained(
      Work(listening, Array(head.utf8) + (try JSONEncoder().encode(body)) + (isLine ? [0x0a] : [])))
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().serve() }
        return nil
      }, work.toOpaque())
    try #require(result == 0)
  }

  deinit {
    finish()
    work.release()
    unlink(path)
    rmdir(folder)
  }

  /// Method and target of the request; "" if none came within 5 s.
  func asked() -> String {
    finish()
    let line = work.takeUnretainedValue().request.prefix { $0 != UInt8(ascii: "\r") }
    return String(decoding: line, as: UTF8.self).split(separator: " ").prefix(2).joined(separator: " ")
  }

  /// The body of the request.
  func askedBody<Body: Decodable>(_ type: Body.Type) throws -> Body {
    finish()
    let text = String(decoding: work.takeUnretainedValue().request, as: UTF8.self)
    let end = try #require(text.firstRange(of: "\r\n\r\n"))
    return try JSONDecoder().decode(type, from: Data(text[end.upperBound...].utf8))
  }

  private func finish() {
    if isServing { pthread_join(thread, nil) }
    isServing = false
  }

  private final class Work {
    private(set) var request: [UInt8] = []
    private let listening: CInt
    private let answer: [UInt8]

    init(_ listening: CInt, _ answer: [UInt8]) {
      self.listening = listening
      self.answer = answer
    }

    deinit { close(listening) }

    func serve() {
      var entry = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 5000) == 1 else { return }
      let connection = accept(listening, nil, nil)
      defer { close(connection) }
      // The requests of these tests are far shorter, and come in one piece.
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &buffer, buffer.count, 0)
      request = Array(buffer.prefix(max(0, count)))
      send(connection, answer, answer.count, CInt(MSG_NOSIGNAL))
    }
  }
}

/// What a command line prints on standard output and how it ends, if the service answers so.
func outcome(
  _ service: OneAnswer, _ arguments: String...
) throws -> (printed: String, ended: Result<ExitCode, Failure>) {
  var ends: [CInt] = [-1, -1]
  try #require(pipe(&ends) == 0)
  defer { close(ends[0]) }
  let invocation = try Invocation(parsing: arguments)
  let session = Session(
    service: TouchgateConnection(path: service.path, timeout: .seconds(5)), json: invocation.json,
    output: StandardStream(descriptor: ends[1]))
  let ended: Result<ExitCode, Failure>
  do throws(Failure) { ended = .success(try invocation.action.run(session)) } catch { ended = .failure(error) }
  close(ends[1])
  // At most what a pipe holds.
  var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  let count = read(ends[0], &buffer, buffer.count)
  return (String(decoding: buffer.prefix(max(0, count)), as: UTF8.self), ended)
}

/// Whether two actions ask for the same.
func isSame(_ one: any Action, _ other: any Action) -> Bool {
  func equals<One: Action>(_ one: One) -> Bool { one == other as? One }
  return equals(one)
}
