import PlainWords
import Scheduling
import Testing

@testable import UpdateStore

@Suite("Errors of the store")
struct StoreErrorTests {
  @Test("an error of every kind is in plain words, without a full stop")
  func plain() {
    let id = UpdateID("a")
    var errors: [StoreError] = [
      .newerSchema(path: "x", found: 9, known: 5), .diskFull(path: "x"), .busy(path: "x"),
      .damaged(path: "x", message: "malformed"), .closed, .other(code: 1, message: "no such table"),
    ]
    errors += [2, 13, 21, 28, 30, 5].map { .cannotOpen(path: "x", errno: $0, message: "") }
    if let id {
      errors += [
        .duplicateID(id), .unknownID(id), .payloadGone(id),
        .wrongState(id, state: "applied", allowed: ["waiting", "applying"]),
      ]
    }
    for error in errors {
      #expect(PlainWords.violations(error.description) == [])
      #expect(!error.description.hasSuffix(".") && !error.description.contains("\n"))
    }
  }
}
