import FoundationEssentials
import HTTPTypes
import Timeline
import TouchgateAPI

/// Any bytes are a body: taken, or refused in words; never a trap. What we call JSON the decoder calls JSON too, so that
/// nothing reaches it that it might stumble over. Any bytes are a query as well.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let body = Array(UnsafeBufferPointer(start: data, count: size))
  let now = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)
  do throws(Problem) {
    let submission = try Submission(body: body, now: now)
    precondition(submission.size <= Limits.payload + Limits.parameters, "larger than allowed")
    precondition(submission.payload.count <= Limits.payload)
  } catch {
    precondition(!error.code.isEmpty && !error.message.isEmpty, "refused without a word")
    precondition(error.message.utf8.count < 2000 && (error.field ?? "").utf8.count < 2000, "repeats what was sent")
  }
  checkSyntax(body)
  _ = try? StrictJSON.decode(body, as: HoldRequest.self, fields: HoldRequest.fields)
  _ = try? StrictJSON.decode(body, as: TurnRequest.self, fields: TurnRequest.fields)
  checkQuery(String(decoding: body, as: UTF8.self))
  return 0
}

/// Decodes whatever it is.
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
    (try? JSONDecoder().decode(Anything.self, from: Data(body))) != nil, "JSON by ours, and not by the decoder")
}

private func checkQuery(_ text: String) {
  let items = text.split(separator: "&", omittingEmptySubsequences: false).map { part in
    let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return QueryItem(name: halves.first ?? "", value: halves.count > 1 ? halves[1] : "")
  }
  let query = Query(items)
  do throws(Problem) {
    try Query.check(items, known: ["wait", "dryRun"])
    precondition(items.count <= 2)
    _ = try query.flag("dryRun")
    if let span = try query.span("wait", atMost: .seconds(86400)) {
      precondition(span >= .zero && span <= .seconds(86400))
    }
  } catch {
    precondition(error.field != nil && error.message.utf8.count < 2000, "does not name the field, or repeats all")
  }
}
