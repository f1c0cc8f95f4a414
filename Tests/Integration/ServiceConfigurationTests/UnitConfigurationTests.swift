import Scheduling
import ServiceConfiguration
import Testing
import Timeline

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

  @Test("Deliver=yes without a user in AllowUsers= is refused on its line, also with AllowGroups= alone")
  func delivery() throws {
    for lines in ["", "AllowUsers=\n", "AllowGroups=root\n"] {
      try root.write("etc/handlers.d/h.conf", "[Handler]\nDeliver=yes\n\(lines)")
      try root.expectProblems([("etc/handlers.d/h.conf", 2, ["Deliver=yes requires AllowUsers="])])
    }
    try root.write("etc/handlers.d/h.conf", "[Handler]\nDeliver=yes\nAllowUsers=root\n")
    #expect(try root.read().handlers["h"]?.kind == .delivery)
    try root.write("etc/handlers.d/h.conf", "[Handler]\nDeliver=no\nExec=/bin/true\n")
    #expect(try root.read().handlers["h"] != nil)
  }

  @Test("what was accepted is checked against the present Param= and AllowUsers= by the stored user and groups")
  func refusal() throws {
    func refusal(_ lines: String, _ submitter: Submitter, page: String = "menu", admin: String = "") throws -> String? {
      try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nParam=page ^[a-z]+$\n\(lines)")
      try root.write("etc/touchgate.conf", "[Rights]\nAdmin=\(admin)\n")
      let configuration = try root.read()
      let update = Update(
        id: UpdateID(time: WallTime(millisecondsSinceEpoch: 0), randomHigh: 0, randomLow: 0), handler: "h",
        parameters: ["page": page], createdAt: WallTime(millisecondsSinceEpoch: 0), submitter: submitter, sequence: 1)
      return configuration.handlers["h"]?.refusal(of: update, admin: configuration.rights.admin)
    }
    let member = Submitter(uid: 1000, pid: 1, groups: [100, 27])
    let unknown = Submitter(uid: 1000, pid: 1)
    #expect(try refusal("", member) == nil && refusal("", unknown) == nil)
    #expect(try refusal("", member, page: "7")?.contains("page must match") == true)
    #expect(try refusal("AllowUsers=1000\n", member) == nil && refusal("AllowGroups=27\n", member) == nil)
    #expect(try refusal("AllowGroups=100\n", member) == nil)
    let denied = try refusal("AllowUsers=1001\nAllowGroups=28\n", member)
    #expect(denied?.hasPrefix("permission denied: user 1000 is no longer allowed to use handler 'h'") == true)
    #expect(try refusal("AllowUsers=1001\n", member, admin: "@27") == nil)
    #expect(try refusal("AllowUsers=1001\n", Submitter(uid: 0, pid: 1, groups: [0])) == nil)
    // Of an update that an older version stored, only the user is known: groups are not held against it.
    #expect(try refusal("AllowUsers=1001\n", unknown) != nil && refusal("AllowUsers=1000\n", unknown) == nil)
    #expect(try refusal("AllowGroups=28\n", unknown) == nil)
    #expect(try refusal("AllowUsers=1001\n", unknown, admin: "@27") != nil, "nor do they make an administrator")
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

  @Test("a unit's name has at most 180 bytes before .service, so that an id fits in as instance")
  func length() throws {
    let longest = String(repeating: "a", count: 180)
    try root.write("etc/handlers.d/h.conf", "[Handler]\nUnit=\(longest).service\n")
    #expect(try root.read().handlers["h"]?.kind == .unit("\(longest).service"))
    try root.write("etc/handlers.d/h.conf", "[Handler]\nUnit=\(longest)a.service\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 2, ["Unit=", "NAME.service"])])
  }

  @Test("two parameters that differ only in case are refused: the program gets both under one name")
  func parametersOfOneName() throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nParam=page\nParam=Page\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 4, ["Page"])])
  }
}
