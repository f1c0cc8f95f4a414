import Testing
import Timeline
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("Printed forms")
struct PrintedFormTests {
  let view = View(now: time("2026-11-30T02:14:48.000Z"), zone: FixedZone(.zero), colours: false)

  @Test("status of a touched screen shows the contacts, what is waiting, and what was applied last")
  func touched() {
    var status = calm()
    status.touched = true
    status.contacts = 2
    status.gate = GateReply(state: "touched", since: "2026-11-30T02:14:07.000Z")
    status.screens = [screen("lobby", contacts: 2, devices: ["ILITEK"])]
    status.updates = ["waiting": 3, "applying": 0, "applied": 1, "failed": 0]
    status.oldestWaiting = waiting()
    status.lastResult = applied()
    #expect(
      view.block(status) == """
        touched   2 contacts on lobby (ILITEK), 41 s
        waiting   3, oldest reload-page 01J, 41 s, 41 rechecks
                  blocked by touched: clears when the last contact ends
        applied   2026-11-30T02:14:07+00:00 reload-page, exit 0, started 3 ms after release

        """)
  }

  @Test("status is one line if nothing happens")
  func clear() {
    #expect(view.block(calm()) == "clear     1 min 48 s\n")
  }

  @Test("status shows why the gate state is unknown, and the warnings")
  func unknown() {
    var status = calm()
    status.gate = GateReply(state: "unknown", since: "2026-11-30T02:14:47.000Z", reason: "no touchscreen")
    status.updates["applying"] = 1
    status.warnings = ["the queue was damaged"]
    #expect(
      view.block(status) == """
        unknown   no touchscreen, 1 s
        applying  1
        warning   the queue was damaged

        """)
  }

  @Test("status shows a failed update and why it failed, without control characters")
  func failed() {
    var status = calm()
    var update = applied()
    update.state = "failed"
    update.result = ResultReply(
      exitCode: 3, message: "exited with 3: \u{1b}[2Jno such page\nmore", finishedAt: "2026-11-28T23:59:59.000Z",
      releaseToStartMs: nil)
    status.lastResult = update
    #expect(
      view.block(status).hasSuffix(
        "\nfailed    2026-11-28T23:59:59+00:00 reload-page 01H, exit 3, exited with 3: ?[2Jno such page\n"))
  }

  @Test("screens --all prints for each node whether it is adopted, and why")
  func nodes() {
    var node = NodeReply(
      node: "/dev/input/event3", name: "ILI\u{1b}TEK", path: "", id: "222a:0001", adopted: true, screen: "lobby",
      why: "udev tags it as a touchscreen")
    #expect(
      view.node(node)
        == "/dev/input/event3 ILI?TEK (222a:0001): adopted as lobby, udev tags it as a touchscreen\n")
    node.adopted = false
    #expect(view.node(node).contains(": not adopted, lobby is unknown, udev"))
    node.screen = nil
    #expect(view.node(node).contains(": not adopted, udev"))
  }

  @Test("times are local")
  func local() {
    let east = View(now: view.now, zone: FixedZone(.seconds(5400)), colours: false)
    #expect(east.clock("2026-11-30T02:14:07.000Z") == "2026-11-30T03:44:07+01:30")
    #expect(east.clock("2026-11-28T23:00:00.000Z") == "2026-11-29T00:30:00+01:30")
    let west = View(now: view.now, zone: FixedZone(.seconds(-12_600)), colours: false)
    #expect(west.clock("2026-11-30T02:14:07.000Z") == "2026-11-29T22:44:07-03:30")
    #expect(west.clock("04:00") == "04:00")
  }

  @Test("status --watch prints one line in every case")
  func watchLines() {
    var status = calm()
    #expect(watchLine(.success(status)) == "not touched")
    status.gate = GateReply(state: "unknown", since: "", reason: "no touchscreen")
    #expect(watchLine(.success(status)) == "unknown (no touchscreen)")
    status.gate = GateReply(state: "touched", since: "")
    status.touched = true
    status.screens = [screen("lobby", contacts: 0), screen("till", state: "clear", contacts: 0)]
    #expect(watchLine(.success(status)) == "touched (grace time on lobby)")
    status.contacts = 1
    status.screens[0].contacts = 1
    #expect(watchLine(.success(status)) == "touched (1 contact on lobby)")
    status.screens[1] = screen("till", contacts: 2, devices: ["x"])
    #expect(watchLine(.success(status)) == "touched (1 contact on lobby, 2 contacts on till)")
    #expect(watchLine(.failure(.notRunning(path: "/s"))) == "not running")
    #expect(watchLine(.failure(.noReply(path: "/s"))) == "not running")
    #expect(watchLine(.failure(.timedOut(after: .seconds(1)))) == "not answering")
    let busy = ClientError.refused(status: 429, Problem(code: "tooManyConnections", message: "too many"))
    #expect(watchLine(.failure(busy)) == "no status (too many)")
  }

  @Test("a block is drawn over the lines of the previous one")
  func redraw() {
    #expect(redrawing("a\n", over: 0) == "\u{1b}[?7la\n\u{1b}[?7h")
    #expect(redrawing("a\n", over: 3) == "\u{1b}[3A\u{1b}[J\u{1b}[?7la\n\u{1b}[?7h")
  }

  @Test("a list is a table, with the first blocker last")
  func list() {
    #expect(
      view.table([waiting(), applied()]) == """
        01J  reload-page  waiting  41 s   blocked by touched: clears when the last contact ends
        01H  reload-page  applied  1 min

        """)
    #expect(view.table([]).isEmpty)
  }

  @Test("show prints every field, every blocker and the whole message")
  func show() {
    var update = waiting()
    update.blockers.append(
      BlockerReply(code: "unknown", since: "", reason: "no touchscreen", clears: "when one is plugged in"))
    #expect(
      view.fields(update) == """
        id        01J
        handler   reload-page
        state     waiting
        created   2026-11-30T02:14:07+00:00, 41 s ago
        attempts  0
        checks    41
        blocked   by touched for 41 s on lobby, 2 contacts: clears when the last contact ends
        blocked   by unknown, no touchscreen: clears when one is plugged in

        """)
    (update.clientId, update.uid) = ("menu-7", 1000)
    #expect(view.fields(update).hasPrefix("id        01J\nclient id menu-7\nhandler   reload-page\nuser      1000\n"))
    update = applied()
    update.result?.message = "done\nreally"
    #expect(
      view.fields(update) == """
        id        01H
        handler   reload-page
        state     applied
        created   2026-11-30T02:13:48+00:00, 1 min ago
        attempts  1
        finished  2026-11-30T02:14:07+00:00
        exit      0
        started   3 ms after release
        message   done
                  really

        """)
  }

  @Test("show prints the key and the successor")
  func showSuperseded() {
    #expect(
      view.fields(superseded()) == """
        id        01H
        handler   reload-page
        key       menu
        state     superseded
        created   2026-11-30T02:13:48+00:00, 1 min ago
        attempts  0
        finished  2026-11-30T02:14:07+00:00
        successor 01J

        """)
  }

  @Test("why prints one blocker per line, or that nothing blocks")
  func why() {
    var update = waiting()
    update.blockers.append(
      BlockerReply(
        code: "order", since: "2026-11-30T02:14:45.000Z", device: "mouse\n", owner: "01G", reason: "older",
        clears: "when its turn has come"))
    #expect(
      view.blockers(update) == """
        touched for 41 s on lobby, 2 contacts: clears when the last contact ends
        order for 3 s, mouse , 01G, older: clears when its turn has come

        """)
    #expect(view.blockers(applied()) == "nothing blocks it: applied\n")
    #expect(view.blockers(superseded()) == "nothing blocks it: superseded by 01J\n")
  }

  @Test("why without an ID prints one block per update, in the given order")
  func whyAll() {
    var next = waiting()
    next.id = "01K"
    next.createdAt = "2026-11-30T02:14:45.000Z"
    next.blockers = []
    #expect(
      view.blockersOfAll([waiting(), next]) == """
        01J reload-page, 41 s
          touched for 41 s on lobby, 2 contacts: clears when the last contact ends
        01K reload-page, 3 s
          nothing blocks it: waiting

        """)
    #expect(view.blockersOfAll([]) == "no updates are waiting\n")
  }

  @Test("colours are used only if they are enabled")
  func colours() {
    let colourful = View(now: view.now, zone: FixedZone(.zero), colours: true)
    #expect(colourful.block(calm()) == "\u{1b}[32mclear\u{1b}[0m     1 min 48 s\n")
    #expect(!view.block(calm()).contains("\u{1b}"))
  }
}

private func time(_ text: String) -> WallTime { WallTime(rfc3339: text) ?? WallTime(millisecondsSinceEpoch: 0) }

private func calm() -> StatusReply {
  StatusReply(
    version: "0.1.0", touched: false, contacts: 0, gate: GateReply(state: "clear", since: "2026-11-30T02:13:00.000Z"),
    screens: [], updates: ["waiting": 0, "applying": 0, "applied": 0, "failed": 0], oldestWaiting: nil,
    lastResult: nil, warnings: [])
}

private func screen(
  _ name: String, state: String = "touched", contacts: Int, devices: [String] = []
) -> ScreenReply {
  ScreenReply(
    name: name, state: state, since: "2026-11-30T02:14:07.000Z", contacts: contacts,
    devices: devices.map { DeviceReply(node: "/dev/input/event3", name: $0, path: "", health: "ok") })
}

private func waiting() -> UpdateReply {
  UpdateReply(
    id: "01J", handler: "reload-page", state: "waiting", createdAt: "2026-11-30T02:14:07.000Z", attempts: 0,
    checks: 41,
    blockers: [
      BlockerReply(
        code: "touched", since: "2026-11-30T02:14:07.000Z", screen: "lobby", contacts: 2,
        clears: "when the last contact ends")
    ], result: nil)
}

private func applied() -> UpdateReply {
  UpdateReply(
    id: "01H", handler: "reload-page", state: "applied", createdAt: "2026-11-30T02:13:48.000Z", attempts: 1,
    checks: nil, blockers: [],
    result: ResultReply(
      exitCode: 0, message: "", finishedAt: "2026-11-30T02:14:07.000Z", releaseToStartMs: 3))
}

private func superseded() -> UpdateReply {
  UpdateReply(
    id: "01H", handler: "reload-page", key: "menu", state: "superseded", createdAt: "2026-11-30T02:13:48.000Z",
    attempts: 0, checks: nil, blockers: [],
    result: ResultReply(
      exitCode: nil, message: "", finishedAt: "2026-11-30T02:14:07.000Z", releaseToStartMs: nil, successor: "01J"))
}
