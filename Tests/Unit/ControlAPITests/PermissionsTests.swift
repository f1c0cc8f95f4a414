import HTTPTypes
import Testing

@testable import ControlAPI

@Suite("Permissions of peers")
struct PermissionsTests {
  private func permissions(uid: UInt32 = 1000, _ rights: Right...) -> Permissions {
    Permissions(Peer(pid: 7, uid: uid, gid: uid)) { rights.contains($0) }
  }

  private func refusal(_ body: () throws(CallRefusal) -> Void) -> CallProblem? {
    do throws(CallRefusal) {
      try body()
      return nil
    } catch {
      let known: [CallProblem] =
        Right.allCases.map { .lacksRight(uid: 1000, $0) } + [
          .updateOfOther(uid: 1), .holdOfOther(uid: 1),
          .handlerForbidden(uid: 1000, handler: "page", file: "page.conf"),
        ]
      let found = known.first { $0.refusal == error }
      #expect(found != nil, "\(error)")
      return found
    }
  }

  @Test("a right is required by name, and no right implies another", arguments: Right.allCases)
  func rights(_ right: Right) {
    #expect(refusal { () throws(CallRefusal) in try permissions(right).require(right) } == nil)
    for other in Right.allCases where other != right {
      let found = refusal { () throws(CallRefusal) in try permissions(right).require(other) }
      #expect(found == .lacksRight(uid: 1000, other))
    }
  }

  @Test("an update is accessible to its submitter and with Admin=, not with Force= or Hold=")
  func updates() {
    #expect(refusal { () throws(CallRefusal) in try permissions().requireUpdate(of: 1000) } == nil)
    #expect(refusal { () throws(CallRefusal) in try permissions(.admin).requireUpdate(of: 1) } == nil)
    let found = refusal { () throws(CallRefusal) in try permissions(.force, .hold).requireUpdate(of: 1) }
    #expect(found == .updateOfOther(uid: 1))
  }

  @Test("a hold is released by its owner and with Admin=, not with Force= or Hold=")
  func holds() {
    #expect(refusal { () throws(CallRefusal) in try permissions().requireHold(of: 1000) } == nil)
    #expect(refusal { () throws(CallRefusal) in try permissions(.admin).requireHold(of: 1) } == nil)
    let found = refusal { () throws(CallRefusal) in try permissions(.force, .hold).requireHold(of: 1) }
    #expect(found == .holdOfOther(uid: 1))
  }

  @Test("a handler is for the peers that it allows, and for Admin=")
  func handlers() {
    func use(_ permissions: Permissions, isAllowed: Bool) -> CallProblem? {
      refusal { () throws(CallRefusal) in
        try permissions.requireHandler("page", isAllowed: isAllowed, file: "page.conf")
      }
    }
    #expect(use(permissions(), isAllowed: true) == nil)
    #expect(use(permissions(.admin), isAllowed: false) == nil)
    #expect(
      use(permissions(.force, .hold), isAllowed: false)
        == .handlerForbidden(uid: 1000, handler: "page", file: "page.conf"))
  }
}
