import Glibc
import Linux
import Racing
import Timeline
import VirtualTouch

/// The two programs that race the service, each a separate process. Tests/Tools/racer/README.md describes them.
@main
struct RacerCommand {
  static let usage = """
    usage: racer tap NAME SEED FINGERS LOG   makes a touchscreen, taps it in bursts while told to
           racer watch NODE LOG              writes down what a reader beside the service sees
      Both print the node when they are ready and end with standard input. The tapper taps from the line `go` on
      to the line `stop`, which it answers with the number of taps.

    """

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    do {
      switch (arguments.first, arguments.count) {
      case ("tap", 5):
        guard let seed = UInt64(arguments[3]), let fingers = Int(arguments[4]) else { fail(usage) }
        try tap(name: arguments[2], TapPlan(seed: seed, fingers: fingers), log: arguments[5])
      case ("watch", 3): try watch(node: arguments[2], log: arguments[3])
      default: fail(usage)
      }
    } catch {
      fail("racer: \(error)\n")
    }
  }

  // MARK: tap

  /// The log holds each contact as the tapper made it: begun before its first event was written, ended after the last.
  private static func tap(name: String, _ plan: TapPlan, log: String) throws {
    let screen = try VirtualTouchscreen(ScreenDescription(name))
    var plan = plan
    say(screen.node)
    var made: [Sighting] = []
    while let line = readLine() {
      if line != "go" { continue }
      let taps = tap(screen, &plan, &made)
      write(made, to: log)
      say("\(taps) taps")
    }
  }

  /// Taps up to the next line on standard input, and ends with nobody on the glass.
  private static func tap(_ screen: VirtualTouchscreen, _ plan: inout TapPlan, _ made: inout [Sighting]) -> Int {
    var taps = 0
    var due = SystemClock.monotonic
    for step in plan {
      due = max(due + step.wait, SystemClock.monotonic)
      SystemClock.sleep(until: due)
      switch step.action {
      case .down(let slot):
        made.append(Sighting(SystemClock.monotonic, .begin(slot: Int32(slot), id: 0)))
        screen.down(slot: slot, x: 0.2 + 0.01 * Double(taps % 60), y: 0.5)
      case .up(let slot):
        screen.up(slot: slot)
        made.append(Sighting(SystemClock.monotonic, .end(slot: Int32(slot))))
      }
      if !step.endsTap { continue }
      taps += 1
      if isReadable(STDIN_FILENO) { break }
    }
    return taps
  }

  // MARK: watch

  private static func watch(node: String, log: String) throws {
    let watcher = try EventWatcher(node: node)
    say(node)
    var seen: [Sighting] = []
    while let more = watcher.read(within: 20) {
      seen += more
      // Standard input is only ever closed; what came before that is read above.
      if more.isEmpty && isReadable(STDIN_FILENO) { break }
    }
    write(seen, to: log)
  }

  // MARK: what both need

  private static func isReadable(_ descriptor: CInt) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) > 0
  }

  private static func write(_ sightings: [Sighting], to path: String) {
    guard let file = fopen(path, "we") else { fail("racer: \(path): \(Errno())\n") }
    fputs(sightings.map { "\($0)\n" }.joined(), file)
    fclose(file)
  }

  private static func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }

  private static func fail(_ text: String) -> Never {
    let bytes = Array(text.utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    exit(2)
  }
}
