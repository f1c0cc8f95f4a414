import FoundationEssentials
import Glibc
import TouchgateAPI
import TouchgateClient

/// `submit`: prints the id once the update is durable.
func submit(_ submission: Submission, _ session: Session) throws(Failure) -> ExitCode {
  var request = submission.request
  if let source = submission.payload { request.setPayload(try readPayload(source)) }
  let service = submission.wait == nil ? session.service : session.patient
  let update = try asking { () throws(ClientError) in
    try service.submit(
      request, wait: submission.wait.map { $0.isEmpty ? "1d" : $0 }, dryRun: submission.dryRun,
      ifQuiet: submission.ifQuiet)
  }
  if session.json {
    try session.printJSON(update)
  } else if submission.dryRun {
    try session.print(session.view.preview(update))
  } else {
    try session.print(update.id + "\n")
  }
  return submission.wait == nil ? .done : try verdict(update, session)
}

extension SubmitRequest {
  /// As text where it is UTF-8, else as base64.
  mutating func setPayload(_ bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      payload = text
    } else {
      payloadBase64 = Data(bytes).base64EncodedString()
    }
  }
}

/// The whole of a file, or of standard input for `-`; at most `Limits.payload` bytes.
func readPayload(_ source: String) throws(Failure) -> [UInt8] {
  let descriptor = source == "-" ? STDIN_FILENO : open(source, O_RDONLY | O_CLOEXEC)
  if descriptor < 0 { throw unreadable(source, errno) }
  defer { if source != "-" { close(descriptor) } }
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count == 0 { return all }
    if count > 0 {
      all += buffer[..<count]
      if all.count > Limits.payload {
        throw Failure(
          message: "payload: \(source == "-" ? "standard input" : source) is larger than \(Limits.payload) bytes, "
            + "which is the most; pass a path or a URL as a parameter instead", code: .badRequest)
      }
    } else if errno != EINTR {
      throw unreadable(source, errno)
    }
  }
}

private func unreadable(_ source: String, _ errno: CInt) -> Failure {
  Failure(message: "payload: cannot read \(source): \(String(cString: strerror(errno)))", code: .usage)
}
