import FoundationEssentials

/// One line of Swift Testing's event stream, version 0: a test that will run, or an event of the run.
///
/// Only what the report needs. Source: swift-testing, Documentation/ABI/JSON.md.
enum EventRecord {
  case test(Test)
  case event(Event)

  struct Test: Decodable {
    let id: String
    let kind: Kind
    let name: String
    let displayName: String?

    enum Kind: String, Decodable {
      case function
      case suite
    }
  }

  struct Event: Decodable {
    let kind: String
    let testID: String?
    let messages: [Message]
    let issue: Issue?
    let testCase: TestCase?

    private enum CodingKeys: String, CodingKey {
      case kind, testID, messages, issue
      case testCase = "_testCase"
    }
  }

  struct Message: Decodable {
    let symbol: String
    let text: String
  }

  struct Issue: Decodable {
    let isKnown: Bool
    let sourceLocation: SourceLocation?
  }

  struct SourceLocation: Decodable {
    let fileID: String
    let path: String?
    let line: Int

    private enum CodingKeys: String, CodingKey {
      case fileID, line
      case path = "_filePath"
    }
  }

  struct TestCase: Decodable {
    let displayName: String
  }
}

extension EventRecord: Decodable {
  private enum CodingKeys: String, CodingKey {
    case kind, version, payload
  }

  init(from decoder: any Decoder) throws {
    let record = try decoder.container(keyedBy: CodingKeys.self)
    let version = try record.decode(Int.self, forKey: .version)
    let kind = try record.decode(String.self, forKey: .kind)
    switch (version, kind) {
    case (0, "test"): self = .test(try record.decode(Test.self, forKey: .payload))
    case (0, "event"): self = .event(try record.decode(Event.self, forKey: .payload))
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: record, debugDescription: "unexpected record \(kind) of version \(version)")
    }
  }

  static func parse(_ line: some Collection<UInt8>) throws -> EventRecord {
    try JSONDecoder().decode(EventRecord.self, from: Data(line))
  }
}
