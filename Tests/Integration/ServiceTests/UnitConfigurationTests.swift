import Foundation
import Scheduling
import Testing

@testable import Service

@Suite("Unit= in a handler's file")
struct UnitConfigurationTests {
  let root: Root

  init() throws { root = try Root() }

  @Test("a service is taken, in place of a program", arguments: ["a.service", "touchgate-a@.service", "a@b.service"])
  func taken(name: String) throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nUnit=\(name)\n")
    let configuration = try root.read()
    #expect(configuration.handlers["h"]?.kind == .unit(name))
    #expect(configuration.missingPrograms() == [], "whether systemd has it, only systemd knows")
  }

  @Test(
    "what is no service is refused",
    arguments: ["", "a", "a.target", "/bin/a.service", "@.service", "a@b@c.service", "a b.service", ".service"])
  func refused(name: String) throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nUnit=\(name)\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 2, ["Unit=", "NAME.service"])])
  }

  @Test("a handler is one thing: Exec= and Unit= together are refused, and the second of one of them")
  func both() throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nUnit=a.service\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 3, ["keep one of Exec=, Unit= and Deliver="])])
  }

  @Test("a template unit gets the update's id as its instance, any other unit stays as it is")
  func names() throws {
    let id = try #require(UpdateID("menu-7"))
    #expect(HandlerKind.unit("touchgate-a@.service").unit(for: id) == "touchgate-a@menu-7.service")
    #expect(HandlerKind.unit("touchgate-a@b.service").unit(for: id) == "touchgate-a@b.service")
    #expect(HandlerKind.unit("a.service").unit(for: id) == "a.service")
    #expect(HandlerKind.program(["/bin/a"]).unit(for: id) == nil)
  }
}
