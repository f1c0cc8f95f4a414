import Glibc
import TouchgateCommands

@main struct Touchgate {
  static func main() {
    exit(run(arguments: Array(CommandLine.arguments.dropFirst())))
  }
}
