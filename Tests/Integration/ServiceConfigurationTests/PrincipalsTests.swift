import Testing

@testable import ServiceConfiguration

@Suite("Who has a right")
struct PrincipalsTests {
  @Test("root has every right, whoever is listed")
  func root() throws {
    #expect(Principals().contains(uid: 0, gid: 0, groups: []))
    #expect(try Principals("1000 @100").contains(uid: 0, gid: 7, groups: []))
  }

  @Test("a listed user has the right in any group, and no other user does")
  func users() throws {
    let principals = try Principals("1000")
    #expect(principals.contains(uid: 1000, gid: 7, groups: []))
    #expect(!principals.contains(uid: 1001, gid: 1000, groups: [1000]), "1000 is no group")
  }

  @Test("a member of a listed group has the right, by its primary group or by another")
  func groups() throws {
    let principals = try Principals("@100")
    #expect(principals.contains(uid: 1000, gid: 100, groups: []))
    #expect(principals.contains(uid: 1000, gid: 7, groups: [8, 100]))
    #expect(!principals.contains(uid: 100, gid: 7, groups: [8]), "100 is no user")
  }

  @Test("without anybody listed only root has the right")
  func nobody() {
    #expect(!Principals().contains(uid: 1000, gid: 1000, groups: [0]))
  }
}
