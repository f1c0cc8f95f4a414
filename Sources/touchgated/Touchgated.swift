import Glibc
import Service
import ServiceConfiguration
import ServiceLog

/// The service: arguments, configuration, build, loop, stop.
@main
struct Touchgated {
  static func main() {
    let arguments: Arguments
    do {
      arguments = try Arguments(CommandLine.arguments.dropFirst())
    } catch {
      complain("touchgated: \(error.description)\nTry: touchgated --help")
      exit(2)
    }
    switch arguments.task {
    case .help: print(Arguments.usage)
    case .version: print("touchgated \(Daemon.version)")
    case .checkConfiguration: exit(check(arguments))
    case .serve: exit(serve(arguments))
    }
  }

  /// Returns exit status 78 (EX_CONFIG) if there is a problem.
  private static func check(_ arguments: Arguments) -> CInt {
    do {
      let configuration = try Configuration.read(folders: arguments.folders)
      let missing = configuration.missingPrograms()
      for problem in missing { complain("touchgated: \(problem)") }
      if !missing.isEmpty { return 78 }
      for note in configuration.screenNotes() { complain("touchgated: \(note)") }
      print("configuration is valid: \(configuration.handlers.count) handlers")
      return 0
    } catch {
      for problem in error.problems { complain("touchgated: \(problem)") }
      return 78
    }
  }

  private static func serve(_ arguments: Arguments) -> CInt {
    do {
      let configuration = try Configuration.read(folders: arguments.folders)
      var options = arguments.options
      options.folders = arguments.folders
      return try Daemon(configuration, options).run()
    } catch let error as ConfigurationError {
      for problem in error.problems { complain("touchgated: \(problem)") }
      return 78
    } catch {
      complain("touchgated: \(error)")
      return 1
    }
  }
}
