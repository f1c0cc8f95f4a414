import Glibc
import Linux
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
    case .allowUnits(let path): exit(allowUnits(arguments, path))
    case .serve: exit(serve(arguments))
    }
  }

  /// Gives the verdict of a start and of a reload: returns exit status 78 (EX_CONFIG) if they would refuse the configuration.
  /// A program that cannot be executed is a warning here as there.
  private static func check(_ arguments: Arguments) -> CInt {
    do {
      // Other folders are somebody's own, for a service of their own.
      if arguments.folders == Configuration.folders { try ServiceUser.become() }
      let configuration = try Configuration.read(folders: arguments.folders)
      for problem in configuration.missingPrograms() { complain("touchgated: warning: \(problem)") }
      for note in configuration.screenNotes() { complain("touchgated: \(note)") }
      print("configuration is valid: \(configuration.handlers.count) handlers")
      return 0
    } catch let error as ConfigurationError {
      for problem in error.problems { complain("touchgated: \(problem)") }
      return 78
    } catch {
      complain("touchgated: \(error)")
      return 1
    }
  }

  /// As root: allows the service to start the units that handler files name.
  private static func allowUnits(_ arguments: Arguments, _ path: String) -> CInt {
    let units = PermittedUnits(folders: arguments.folders)
    for note in units.notes { complain("touchgated: \(note)") }
    do throws(Errno) {
      switch try PolkitRuleFile(path: path).write(units.permissions) {
      case .unchanged, .removed: break
      case .written:
        let names = (units.permissions.names.sorted() + units.permissions.templates.sorted()).joined(separator: ", ")
        print("the service is allowed to start and stop \(names) (\(path))")
      case .noFolder: complain("touchgated: \(path): no such folder; Unit= handlers need polkit (apt install polkitd)")
      }
      return 0
    } catch {
      complain("touchgated: cannot write \(path): \(error)")
      return 1
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
