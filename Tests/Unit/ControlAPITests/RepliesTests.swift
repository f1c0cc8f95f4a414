import Gating
import HTTPTypes
import Scheduling
import Testing
import Timeline
import TouchModel
import TouchgateAPI

@testable import ControlAPI

@Suite("Replies")
struct RepliesTests {
  /// 2023-11-14T22:13:20Z
  private static let wall = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)
  private let start = Instant(nanoseconds: 5_000_000_000)
  private let device = DeviceID("/sys/a")
  private let finger = Contact(slot: 0, id: 1)

  private var replies: Replies {
    Replies(
      clock: ReplyClock(wall: Self.wall, monotonic: start),
      scheduler: Scheduler(policy: HandlerPolicy(), policies: [:], interval: .seconds(1), boot: "boot", seed: 1),
      now: start)
  }

  private func screens(_ rules: Screens.Rules = Screens.Rules(), with devices: [String] = []) -> Screens {
    var screens = Screens(at: start, rules: rules)
    for screen in devices {
      let device = DeviceID("/sys/\(screen)")
      screens.deviceAdded(device, name: screen, screen: screen, at: start)
      screens.deviceReady(device, screen: screen, at: start)
    }
    screens.enumerated(at: start)
    return screens
  }

  // MARK: Bytes

  @Test("a reply is one line of JSON with sorted names and plain slashes")
  func json() {
    let response = Replies.json(201, AboutReply(name: "a/b", version: "1"), headers: [HTTPHeader("X", "y")])
    #expect(String(decoding: response.body, as: UTF8.self) == "{\"name\":\"a/b\",\"version\":\"1\"}\n")
    #expect(response.status == 201 && response.headers == [HTTPHeader("X", "y")])
    #expect(response.contentType == "application/json")
  }

  @Test("a refusal is a reply with its status, problem and headers")
  func refusal() {
    let response = CallProblem.wrongMethod(path: "/v1", allowed: ["GET"]).refusal.response
    #expect(response.status == 405 && response.headers == [HTTPHeader("Allow", "GET")])
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(text == "{\"error\":{\"code\":\"wrongMethod\",\"message\":\"method not allowed; /v1 accepts GET\"}}\n")
  }

  @Test("a node that udev has not reported makes the gate state of the machine unknown, unless a screen is touched")
  func pending() {
    var screens = screens(with: ["a"])
    let node = ScreensSnapshot.PendingNode(node: "/dev/input/event3", since: start)
    let snapshot = ScreensSnapshot(screens: screens, pending: node)
    #expect(replies.machine(snapshot).state == "unknown")
    #expect(replies.machine(snapshot).reason?.contains("/dev/input/event3") == true)
    #expect(replies.machine(ScreensSnapshot(screens: screens)).state == "clear")
    screens.handle(.began(finger, at: start), of: DeviceID("/sys/a"), screen: "a", at: start)
    #expect(replies.machine(ScreensSnapshot(screens: screens, pending: node)).state == "touched")
  }

  // MARK: Clock

  @Test("an instant is the same time in every reply until the wall clock is set or drifts by more than 20 ms")
  func clock() {
    var clock = ReplyClock(wall: Self.wall, monotonic: start)
    #expect(clock.rfc3339(start + .milliseconds(1500)) == "2023-11-14T22:13:21.500Z")
    clock.follow(wall: Self.wall + .milliseconds(1020), monotonic: start + .seconds(1))
    #expect(clock.rfc3339(start) == "2023-11-14T22:13:20.000Z")
    clock.follow(wall: Self.wall + .milliseconds(1021), monotonic: start + .seconds(1))
    #expect(clock.rfc3339(start) == "2023-11-14T22:13:20.021Z")
    clock.follow(wall: Self.wall + .seconds(-3600), monotonic: start)
    #expect(clock.rfc3339(start) == "2023-11-14T21:13:20.000Z")
  }

  // MARK: Screens

  @Test("before the first enumeration the machine is unknown, and so it is without a screen")
  func noScreens() {
    let starting = Screens(at: start, rules: Screens.Rules())
    #expect(replies.machine(ScreensSnapshot(screens: starting)).reason == Words.starting)
    var none = screens(Screens.Rules(onNoScreen: .hold))
    #expect(replies.machine(ScreensSnapshot(screens: none)).reason == Words.noScreenYet)
    none.timePassed(start + .seconds(10))
    #expect(replies.machine(ScreensSnapshot(screens: none)).reason == Words.noScreen)
    var open = screens()
    open.timePassed(start + .seconds(10))
    #expect(replies.machine(ScreensSnapshot(screens: open)).state == "clear")
  }

  @Test("one touched screen makes the machine touched; a machine that is going to sleep is unknown")
  func machine() {
    var screens = screens(with: ["hall", "lobby"])
    #expect(replies.machine(ScreensSnapshot(screens: screens)).state == "clear")
    let touched = start + .seconds(1)
    screens.handle(.began(finger, at: touched), of: DeviceID("/sys/lobby"), screen: "lobby", at: touched)
    let reply = replies.machine(ScreensSnapshot(screens: screens))
    #expect(reply == GateReply(state: "touched", since: "2023-11-14T22:13:21.000Z"))
    let asleep = replies.machine(ScreensSnapshot(screens: screens, sleepsSince: touched))
    #expect(asleep == GateReply(state: "unknown", since: "2023-11-14T22:13:21.000Z", reason: Words.goesToSleep))
  }

  @Test("a missing screen that all updates wait for makes the machine unknown; one that its own wait for does not")
  func missing() {
    let rules = Screens.Rules(named: ["cellar"], required: ["hall"])
    var screens = screens(rules, with: ["lobby"])
    #expect(replies.machine(ScreensSnapshot(screens: screens)).reason == "screen 'cellar' is missing")
    screens.timePassed(start + .seconds(60))
    #expect(replies.machine(ScreensSnapshot(screens: screens)).reason == "screen 'hall' is missing")
    let optional = self.screens(Screens.Rules(missingGrace: .zero, named: ["cellar"]), with: ["lobby"])
    #expect(replies.machine(ScreensSnapshot(screens: optional)).state == "clear")
  }

  @Test("present and missing screens are listed by name, with their devices")
  func list() {
    let screens = screens(Screens.Rules(named: ["hall"]), with: ["lobby", "cellar"])
    let view = DeviceView(screen: "lobby", node: "/dev/input/event3", name: "ELAN", path: "pci", health: "ok")
    let list = replies.screens(ScreensSnapshot(screens: screens, devices: [view]))
    #expect(list.map(\.name) == ["cellar", "hall", "lobby"])
    #expect(list.map(\.state) == ["clear", "unknown", "clear"])
    #expect(list[1].reason == "the screen is missing")
    #expect(list[2].devices == [DeviceReply(node: "/dev/input/event3", name: "ELAN", path: "pci", health: "ok")])
    #expect(list[0].devices == [])
  }

  @Test("a name is required to be that of a present or missing screen")
  func names() throws {
    let snapshot = ScreensSnapshot(screens: screens(Screens.Rules(named: ["hall"]), with: ["lobby"]))
    for name in ["hall", "lobby", nil] { try snapshot.require(name) }
    let refusal = #expect(throws: CallRefusal.self) { try snapshot.require("") }
    #expect(refusal?.problem.message == "unknown screen ''; known screens: 'hall', 'lobby'")
  }

  @Test("every gate state has a reply, and unknown and stuck ones a reason")
  func gates() {
    let states: [(Gate.State, String, String?)] = [
      (.clear(since: start), "clear", nil), (.touched(contacts: 2, since: start), "touched", nil),
      (.stuck(contacts: 1, since: start), "touched", "1 contact is stuck"),
      (.stuck(contacts: 2, since: start), "touched", "2 contacts are stuck"),
      (.unknown(.starting(device: "ELAN"), since: start), "unknown", "ELAN is being read for the first time"),
      (.unknown(.unreadable(device: "ELAN", why: "no"), since: start), "unknown", "no"),
      (.unknown(.eventsLost(device: "ELAN"), since: start), "unknown", "ELAN dropped events; its state is being read"),
    ]
    for (state, name, reason) in states {
      #expect(replies.gate(state) == GateReply(state: name, since: "2023-11-14T22:13:20.000Z", reason: reason))
      #expect(Words.state(state) == name)
    }
  }

  // MARK: Updates, holds, events

  private let update = Update(
    id: UpdateID("a") ?? UpdateID(time: RepliesTests.wall, randomHigh: 0, randomLow: 0), handler: "page",
    parameters: ["url": "x"], createdAt: RepliesTests.wall, submitter: Submitter(uid: 1000, pid: 7), sequence: 1,
    key: "menu", screen: "lobby")

  @Test("an update that has ended is shown with its result, and without blockers and checks")
  func ended() {
    let result = UpdateResult(
      state: .superseded, exitCode: nil, message: "superseded", finishedAt: Self.wall,
      releaseToStartMilliseconds: nil, successor: UpdateID("b"))
    let stored = StoredUpdate(update: update, attempts: 2, state: .finished(result))
    let reply = replies.update(stored)
    #expect(reply.id == "a" && reply.state == "superseded" && reply.attempts == 2 && reply.screen == "lobby")
    #expect(reply.blockers == [] && reply.checks == nil && reply.overrode == nil)
    #expect(reply.result?.successor == "b" && reply.result?.finishedAt == "2023-11-14T22:13:20.000Z")
  }

  @Test("a dry run is shown as an update that was never started")
  func dryRun() {
    let blocker = BlockerReply(code: "touched", since: "", clears: "")
    let reply = Replies.dryRun(update, blockers: [blocker])
    #expect(reply.state == "dryRun" && reply.attempts == 0 && reply.blockers == [blocker] && reply.result == nil)
  }

  @Test("a payload is delivered as text if it is UTF-8, else as base64, and an answer is due within a year")
  func delivery() {
    func reply(_ payload: [UInt8], _ timeout: Duration = .seconds(60)) -> DeliveryReply {
      Replies.delivery(update, payload: payload, attempt: 2, timeout: timeout, at: Self.wall)
    }
    #expect(reply([]).payload == nil && reply([]).payloadBase64 == nil)
    #expect(reply(Array("ü".utf8)).payload == "ü" && reply(Array("ü".utf8)).payloadBase64 == nil)
    #expect(reply([0xff, 0]).payload == nil && reply([0xff, 0]).payloadBase64 == "/wA=")
    #expect(reply([]).answerBy == "2023-11-14T22:14:20.000Z" && reply([]).attempt == 2)
    #expect(reply([], .forever).answerBy == "2024-11-13T22:13:20.000Z")
  }

  @Test("holds, pauses and blockers are shown with RFC 3339 times")
  func others() {
    let hold = Hold(
      id: HoldID(time: Self.wall, randomHigh: 0, randomLow: 0), owner: Submitter(uid: 1, pid: 2), reason: "on stage",
      since: Self.wall, until: replies.scheduler.clocks(replies.now).steady)
    #expect(replies.hold(hold).until == "2023-11-14T22:13:20.000Z" && replies.hold(hold).screen == nil)
    let pause = OperatorPause(since: Self.wall, by: Submitter(uid: 1, pid: 2), reason: "inventory")
    #expect(replies.pause(pause) == PauseReply(since: "2023-11-14T22:13:20.000Z", uid: 1, reason: "inventory"))
  }

  @Test("events have their type and the fields of that type; a gap has the number before the next event")
  func events() {
    func reply(_ happening: Event.Happening) -> EventReply {
      Replies.event(Event(sequence: 7, time: Self.wall, happening: happening))
    }
    let touch = reply(.touch(touched: true, contacts: 2))
    #expect(touch.type == "touch" && touch.touched == true && touch.contacts == 2 && touch.seq == 7)
    let screen = reply(.screen("lobby", state: "gone", contacts: 0))
    #expect(screen.type == "screen" && screen.screen == "lobby" && screen.state == "gone")
    let update = reply(.update(id: "a", handler: "page", state: "waiting"))
    #expect(update.type == "update" && update.id == "a" && update.handler == "page" && update.state == "waiting")
    let gap = Replies.gap(missed: 3, next: 11, at: Self.wall)
    #expect(gap.type == "gap" && gap.missed == 3 && gap.seq == 10 && gap.time == "2023-11-14T22:13:20.000Z")
  }

  @Test("an update that has not ended has the attempts that the scheduler counts, an ended one those that are stored")
  func attempts() throws {
    let update = Update(
      id: try #require(UpdateID("a")), handler: "page", parameters: [:], createdAt: Self.wall,
      submitter: Submitter(uid: 1, pid: 2), sequence: 1)
    let stored = StoredUpdate(update: update, attempts: 5, state: .waiting)
    #expect(replies.update(stored).attempts == 5)
    var scheduler = replies.scheduler
    _ = scheduler.submit(update, payload: [], at: start)
    _ = scheduler.stored(.accept(update, payload: []), at: start)
    let replies = Replies(
      clock: ReplyClock(wall: Self.wall, monotonic: start), scheduler: scheduler, now: start)
    #expect(replies.update(stored).attempts == 0)
  }
}
