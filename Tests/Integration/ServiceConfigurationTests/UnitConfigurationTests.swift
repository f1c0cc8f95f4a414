import Scheduling
import ServiceConfiguration
import Testing

@Suite("Unit= in a handler's file")
struct UnitConfigurationTests {
  let root: Root

  init() throws { root = try Root() }

  @Test("a service unit replaces a program", arguments: ["a.service", "touchgate-a@.service", "a@b.service"])
  func taken(name: String) throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nUnit=\(name)\n")
    let configuration = try root.read()
    #expect(configuration.handlers["h"]?.kind == .unit(name))
    #expect(configuration.missingPrograms() == [], "systemd is not asked whether it exists")
  }

  @Test(
    "a name that is not a service unit is refused",
    arguments: ["", "a", "a.target", "/bin/a.service", "@.service", "a@b@c.service", "a b.service", ".service"])
  func refused(name: String) throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nUnit=\(name)\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 2, ["Unit=", "NAME.service"])])
  }

  @Test("Exec= and Unit= together are refused on the line of the second")
  func both() throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nUnit=a.service\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 3, ["only one of Exec=, Unit= and Deliver= is allowed"])])
  }

  @Test("a template gets the update's id as instance, any other unit keeps its name")
  func names() throws {
    let id = try #require(UpdateID("menu-7"))
    #expect(HandlerKind.unit("touchgate-a@.service").unit(for: id) == "touchgate-a@menu-7.service")
    #expect(HandlerKind.unit("touchgate-a@b.service").unit(for: id) == "touchgate-a@b.service")
    #expect(HandlerKind.unit("a.service").unit(for: id) == "a.service")
    #expect(HandlerKind.program(["/bin/a"]).unit(for: id) == nil)
  }
}
