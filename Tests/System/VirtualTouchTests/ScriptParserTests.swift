import Testing

@testable import VirtualTouch

@Suite("scripts")
struct ScriptParserTests {
  private func touches(_ text: String) throws -> [TouchCommand] {
    try ScriptParser.parse("screen a\n" + text).dropFirst().map { step in
      guard case .touch("a", let command) = step.action else { throw Unexpected(step: step) }
      return command
    }
  }

  private struct Unexpected: Error { let step: ScriptStep }

  @Test("every command with a screen has its value")
  func commands() throws {
    let text = """
      down 0 50% 12.5%; move 0 0% 100%   # both in one line
      move 1 50% 50% 1.5s rate 60
      up 0
      tap 2 1% 2%
      tap 2 1% 2% 200ms
      a.drag 3 0% 0% to 100% 100% 500ms
      drag 3 0% 0% to 100% 100% 500ms rate 1000
      raw 3 0x39 -1; syn
      play "two words.evemu" speed 0.5
      unplug; plug
      """
    let (corner, far) = (ScreenPoint(x: 0, y: 0), ScreenPoint(x: 1, y: 1))
    let tapped = ScreenPoint(x: 0.01, y: 0.02)
    #expect(
      try touches(text) == [
        .down(slot: 0, ScreenPoint(x: 0.5, y: 0.125)),
        .move(slot: 0, ScreenPoint(x: 0, y: 1)),
        .glide(slot: 1, to: ScreenPoint(x: 0.5, y: 0.5), Motion(duration: .milliseconds(1500), rate: 60)),
        .up(slot: 0),
        .tap(slot: 2, tapped, hold: .milliseconds(60)),
        .tap(slot: 2, tapped, hold: .milliseconds(200)),
        .drag(slot: 3, from: corner, to: far, Motion(duration: .milliseconds(500), rate: 125)),
        .drag(slot: 3, from: corner, to: far, Motion(duration: .milliseconds(500), rate: 1000)),
        .raw(type: 3, code: 0x39, value: -1),
        .raw(type: 0, code: 0, value: 0),
        .play(path: "two words.evemu", speed: 0.5),
        .unplug,
        .plug,
      ])
  }

  @Test("a screen is described in one line")
  func screen() throws {
    var wanted = ScreenDescription("ILITEK Multi-Touch", kind: .multitouch(slots: 5))
    wanted.maxX = 799
    wanted.maxY = 479
    wanted.vendor = 0x222a
    wanted.product = 0x1c
    wanted.autorepeat = true
    let line = "screen lobby kind=mt slots=5 title=\"ILITEK Multi-Touch\" size=800x480 222a:001c autorepeat"
    let steps = try ScriptParser.parse(line + "\nscreen b kind=st\nscreen c like=x.ev\nscreen d slots=3 kind=a")
    #expect(
      steps.map(\.action) == [
        .screen(name: "lobby", .described(wanted)),
        .screen(name: "b", .described(ScreenDescription("b", kind: .singleTouch))),
        .screen(name: "c", .likeRecording(path: "x.ev")),
        .screen(name: "d", .described(ScreenDescription("d", kind: .typeA))),
      ])
  }

  @Test("blocks can span lines and contain blocks, and keep the line numbers of their commands")
  func blocks() throws {
    let steps = try ScriptParser.parse(
      """
      screen a
      repeat 3 {
        frame { up 0; up 1 }
        repeat 2 { wait 10ms }
      }
      """)
    let up: (Int) -> ScriptStep = { ScriptStep(line: 3, action: .touch(screen: "a", .up(slot: $0))) }
    #expect(
      steps.dropFirst() == [
        ScriptStep(
          line: 2,
          action: .repetition(
            count: 3,
            [
              ScriptStep(line: 3, action: .frame(screen: "a", [up(0), up(1)])),
              ScriptStep(
                line: 4,
                action: .repetition(count: 2, [ScriptStep(line: 4, action: .wait(.milliseconds(10)))])),
            ]))
      ])
  }

  @Test("a grab names a screen or a node")
  func grabs() throws {
    let steps = try ScriptParser.parse("screen a; grab a; grab /dev/input/event3; ungrab a; ungrab")
    #expect(
      steps.dropFirst().map(\.action) == [
        .grab(.screen("a")), .grab(.node("/dev/input/event3")), .ungrab(.screen("a")), .ungrab(nil),
      ])
  }

  @Test("line by line, a block is returned when it is closed, and an error does not affect the next line")
  func lineByLine() throws {
    var parser = ScriptParser()
    #expect(try parser.feed("screen a").count == 1)
    #expect(try parser.feed("repeat 2 {").isEmpty)
    #expect(try parser.feed("up 0").isEmpty)
    #expect(try parser.feed("}").count == 1)
    #expect(throws: ScriptError.self) { try parser.feed("repeat 2 { upp 0") }
    let next = try parser.feed("up 0")
    #expect(next.map(\.line) == [6])
    try parser.finish()
  }

  /// A script after `screen a` in line 1, and words of its error, which is in line 2.
  static let bad: [(script: String, words: String)] = [
    ("jump 0", "allowed: screen, down"),
    ("a.jump 0", "allowed after a screen's name: down"),
    ("b.up 0", "there are: a"),
    ("screen b; up 0", "one of: a, b"),
    ("screen a", "already"),
    ("screen 1b", "a letter"),
    ("screen", "screen NAME"),
    ("screen b kind=x", "allowed: mt"),
    ("screen b slots=0", "1 to 256"),
    ("screen b size=4096", "WIDTHxHEIGHT"),
    ("screen b size=99999999999x2", "WIDTHxHEIGHT"),
    ("screen b title=\"\"", "1 to 79"),
    ("screen b title=\"x", "quote"),
    ("screen b 12345:1", "write: screen NAME"),
    ("screen b fast", "write: screen NAME"),
    ("screen b like=x slots=3", "too much"),
    ("repeat 2 { screen b }", "outside of blocks"),
    ("down", "write: down SLOT X% Y%"),
    ("down 0 50%", "write: down SLOT X% Y%"),
    ("down 0 50 50", "from 0% to 100%"),
    ("down 0 101% 50%", "from 0% to 100%"),
    ("down 0 -1% 50%", "from 0% to 100%"),
    ("down 0 nan% 50%", "from 0% to 100%"),
    ("down 0 50% 50% 50%", "too much"),
    ("down 256 50% 50%", "from 0 to 255"),
    ("down x 50% 50%", "from 0 to 255"),
    ("tap 0 5% 5% 5parsecs", "TIME such as"),
    ("tap 0 5% 5% infinity", "up to a day"),
    ("drag 0 5% 5% 6% 6% 1s", "'to' is missing"),
    ("drag 0 5% 5% to 6% 6%", "write: drag"),
    ("drag 0 5% 5% to 6% 6% 1s rate 0", "from 1 to 10000"),
    ("wait", "wait TIME"),
    ("wait -1s", "TIME such as"),
    ("raw 3 0x39 2147483648", "2147483647"),
    ("raw 65536 0 0", "65535"),
    ("raw 3 0xzz 0", "hexadecimal"),
    ("play", "play FILE"),
    ("play x speed 0", "from 0.01"),
    ("play x speed inf", "from 0.01"),
    ("repeat 2", "needs a block"),
    ("repeat 0 { up 0 }", "from 1 to"),
    ("repeat 2 { up 0", "missing"),
    ("wait 1s { up 0 }", "takes no { }"),
    ("frame { wait 1s }", "cannot stand in a frame"),
    ("frame { frame { } }", "inside a frame"),
    ("}", "without a {"),
    ("grab", "grab NAME"),
    ("grab b", "no screen 'b'"),
  ]

  @Test("an error has its line and what is allowed", arguments: bad)
  func mistakes(script: String, words: String) {
    let error = #expect(throws: ScriptError.self) { try ScriptParser.parse("screen a\n\(script)\n") }
    #expect(error?.line == 2)
    #expect(error?.problem.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("a touch requires a screen")
  func noScreen() {
    let error = #expect(throws: ScriptError.self) { try ScriptParser.parse("up 0") }
    #expect(error?.description == "1: 'up' before any screen; make one first: screen NAME")
  }
}
