import Glibc
import Linux
import VirtualTouch

/// Virtual touchscreens that play a script. Tests/Support/VirtualTouch/README.md describes the language.
@main
struct TouchplayCommand {
  static let usage = """
    usage: touchplay [--interactive] [SCRIPT]
      Makes virtual touchscreens through /dev/uinput and touches them as SCRIPT says; they are gone when it ends.
      Without SCRIPT, commands are read from standard input, and each line is done when it arrives.
      --interactive  answers each line with `ok`, or with `error LINE: WHY`, and goes on after errors.
      Screens are told as NAME NODE on standard output. Language: Tests/Support/VirtualTouch/README.md.

    """

  static func main() {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--help") { return say(usage, to: STDOUT_FILENO) }
    let isInteractive = arguments.first == "--interactive"
    if isInteractive { arguments.removeFirst() }
    guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true || arguments.first == "-" else {
      say(usage, to: STDERR_FILENO)
      exit(2)
    }
    let path = arguments.first ?? "-"
    let player = ScriptPlayer { name, node in say("\(name) \(node)\n", to: STDOUT_FILENO) }
    do {
      if path == "-" {
        try playInput(player, isInteractive: isInteractive)
      } else {
        // All of it is read before anything is played, so that a mistake at its end is seen at once.
        let steps = try ScriptParser.parse(text(of: path))
        try player.run(steps)
      }
    } catch {
      say("touchplay: \(path == "-" ? "input" : path):\(error)\n", to: STDERR_FILENO)
      exit(1)
    }
  }

  private static func playInput(_ player: ScriptPlayer, isInteractive: Bool) throws(ScriptError) {
    var parser = ScriptParser()
    while let line = readLine() {
      do {
        try player.run(parser.feed(line))
        if isInteractive { say("ok\n", to: STDOUT_FILENO) }
      } catch {
        guard isInteractive else { throw error }
        say("error \(error)\n", to: STDOUT_FILENO)
      }
    }
    try parser.finish()
  }

  private static func text(of path: String) -> String {
    guard let file = fopen(path, "re") else {
      say("touchplay: \(path): \(Errno())\n", to: STDERR_FILENO)
      exit(1)
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func say(_ text: String, to descriptor: CInt) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
