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
      .removed(path: "x"),
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

  @Test("only a full disk is called full")
  func full() {
    for error in [
      StoreError.diskFull(path: "x"), .cannotOpen(path: "x", errno: 28, message: ""),
      .cannotOpen(path: "x", errno: 122, message: ""),
    ] {
      #expect(error.failure == .full("\(error)"))
    }
    // SQLITE_IOERR_WRITE is 778.
    for error in [
      StoreError.other(code: 778, message: "disk I/O error"), .busy(path: "x"), .removed(path: "x"), .closed,
      .damaged(path: "x", message: "malformed"), .cannotOpen(path: "x", errno: 5, message: ""),
    ] {
      #expect(error.failure == .failed("\(error)"))
    }
  }
}
