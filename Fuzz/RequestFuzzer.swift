import FoundationEssentials
import HTTPTypes
import Timeline
import TouchgateAPI

@testable import ControlAPI

/// Any bytes are a body, a query and a path: accepted, or refused with a message; never a trap. Every body that
/// `JSONSyntax` accepts is accepted by the decoder too, so the decoder never sees input that makes it trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let body = Array(UnsafeBufferPointer(start: data, count: size))
  let now = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)
  do throws(CallRefusal) {
    let submission = try Submission(
      body: body, at: Clocks(wall: now, isSet: size % 2 == 0, steady: SteadyTime(milliseconds: 0)), in: FixedZone(.zero)
    )
    precondition(submission.size <= Limits.payload + Limits.parameters, "larger than allowed")
    precondition(submission.payload.count <= Limits.payload)
  } catch {
    check(error.problem)
  }
  checkSyntax(body)
  _ = try? CheckedHold(body: body, longest: .seconds(3600))
  _ = try? CheckedTurn(body: body, guardKinds: ["grab", "verify", "none"], longest: .seconds(3600))
  _ = try? CheckedNack(body: body)
  let text = String(decoding: body, as: UTF8.self)
  checkQuery(text)
  checkRequest(HTTPRequest(method: "POST", path: text, body: body, peer: Peer(pid: 1, uid: 1, gid: 1)))
  return 0
}

private func check(_ problem: Problem) {
  precondition(!problem.code.isEmpty && !problem.message.isEmpty, "refused without a message")
  precondition(problem.message.utf8.count < 2000 && (problem.field ?? "").utf8.count < 2000, "repeats what was sent")
}

private func checkRequest(_ request: HTTPRequest) {
  do throws(CallRefusal) { _ = try Endpoint.call(for: request) } catch { check(error.problem) }
}

/// Decodes any JSON.
private struct Anything: Decodable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Name.self) {
      for name in object.allKeys { _ = try object.decode(Anything.self, forKey: name) }
    } else if var array = try? decoder.unkeyedContainer() {
      while !array.isAtEnd { _ = try array.decode(Anything.self) }
    } else {
      _ = try decoder.singleValueContainer()
    }
  }
}

private func checkSyntax(_ body: [UInt8]) {
  guard (try? JSONSyntax.check(body)) != nil else { return }
  precondition(
    (try? JSONDecoder().decode(Anything.self, from: Data(body))) != nil,
    "accepted by JSONSyntax and refused by the decoder")
}

private func checkQuery(_ text: String) {
  let items = text.split(separator: "&", omittingEmptySubsequences: false).map { part in
    let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return QueryItem(name: halves.first ?? "", value: halves.count > 1 ? halves[1] : "")
  }
  let query = Query(items)
  do throws(CallRefusal) {
    try Query.check(items, known: ["wait", "dryRun"])
    precondition(items.count <= 2)
    _ = try query.flag("dryRun")
    if let span = try query.span("wait", atMost: .seconds(86400)) {
      precondition(span >= .zero && span <= .seconds(86400))
    }
  } catch {
    precondition(error.problem.field != nil, "does not name the field")
    check(error.problem)
  }
}
