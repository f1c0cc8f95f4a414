import DeviceRules
import Glibc
import Haptics
import Scheduling
import UpdateStore

/// Makes a `Configuration` of files, and collects what is wrong with them instead of stopping at the first mistake.
struct ConfigurationReader {
  private(set) var configuration = Configuration()
  private(set) var problems: [ConfigurationProblem] = []

  /// `touchgate.conf` and its drop-ins in one folder, over what was read before.
  mutating func readSettings(in folder: String) {
    for path in ["\(folder)/touchgate.conf"] + list("\(folder)/touchgate.conf.d").map(\.path) {
      guard let file = ConfigurationFile(path: path) else { continue }
      var found = problems(of: file, known: .settings)
      readScreens(file, &found)
      for entry in file.entries {
        do throws(ConfigurationValue.Refused) {
          switch (entry.section, entry.key) {
          case ("Gate", "QuietPeriod"):
            configuration.quietPeriod = try ConfigurationValue.timeSpan(entry.value)
          case ("Gate", "FirstScreenTimeout"):
            configuration.firstScreenTimeout = try ConfigurationValue.timeSpan(entry.value)
          case ("Gate", "OnNoScreen"): configuration.onNoScreen = try ConfigurationValue.choice(entry.value)
          case ("Gate", "MissingScreenGrace"):
            configuration.missingScreenGrace = try ConfigurationValue.timeSpan(entry.value)
          case ("Gate", "RequireScreens"):
            configuration.requiredScreens = try ConfigurationValue.screenNames(entry.value)
          case ("Gate", "StuckAfter"):
            configuration.stuckAfter = try ConfigurationValue.timeSpan(entry.value, atLeast: .seconds(10))
          case ("Gate", "OnStuck"):
            configuration.onStuck = try ConfigurationValue.stuckPolicy(entry.value)
          case ("Devices", "Use"), ("Devices", "Ignore"):
            configuration.deviceRules.append(try ConfigurationValue.deviceRule(entry.value, use: entry.key == "Use"))
          case ("Gate", "GuardMax"): configuration.guardMax = try ConfigurationValue.timeSpan(entry.value)
          case ("Gate", "MaxHold"):
            configuration.maxHold = try ConfigurationValue.timeSpan(entry.value, atLeast: .seconds(1))
          case ("Rights", "Force"): configuration.rights.force = try Principals(entry.value)
          case ("Rights", "Hold"): configuration.rights.hold = try Principals(entry.value)
          case ("Rights", "Admin"): configuration.rights.admin = try Principals(entry.value)
          case ("Queue", "RetryInterval"):
            configuration.retryInterval = try ConfigurationValue.timeSpan(entry.value, atLeast: .milliseconds(100))
          case ("Queue", "MaxWaiting"):
            configuration.maxWaiting = try ConfigurationValue.number(entry.value, 1...1_000_000)
          case ("Queue", "MaxWaitingPerUser"):
            configuration.maxWaitingPerUser = try ConfigurationValue.number(entry.value, 1...1_000_000)
          case ("Queue", "MaxWaitingBytes"):
            configuration.maxWaitingBytes = try ConfigurationValue.size(entry.value)
          case ("Queue", "MaxWaitingBytesPerUser"):
            configuration.maxWaitingBytesPerUser = try ConfigurationValue.size(entry.value)
          case ("Queue", "KeepHistory"):
            configuration.history.age = try ConfigurationValue.timeSpan(entry.value, atLeast: .seconds(60))
          case ("Queue", "KeepHistoryEntries"):
            configuration.history.entries = try ConfigurationValue.number(entry.value, 1...1_000_000)
          case ("Queue", "KeepPayloads"):
            configuration.history.payloadBytes = try ConfigurationValue.size(entry.value)
          case ("Haptics", let key):
            try configuration.haptics.read(key, entry.value)
          default:
            break  // unknown, and reported as such
          }
        } catch {
          found.append(problem(file, entry, error))
        }
      }
      report(found)
    }
  }

  private mutating func readScreens(_ file: ConfigurationFile, _ found: inout [ConfigurationProblem]) {
    for section in file.sections where section.name.hasPrefix("Screen ") {
      let name = String(section.name.dropFirst("Screen ".count)).withoutBlankEnds
      guard ScreenRules.isName(name) else {
        found.append(
          ConfigurationProblem(
            file: file.path, line: section.line, message: "a screen's name has 1 to 64 bytes and no control characters")
        )
        continue
      }
      var matches: [DeviceRule] = []
      for entry in file.entries where entry.section == section.name && entry.key == "Match" {
        do throws(ConfigurationValue.Refused) {
          matches.append(try ConfigurationValue.deviceRule(entry.value, use: true))
        } catch {
          found.append(problem(file, entry, error))
        }
      }
      if !file.entries.contains(where: { $0.section == section.name }) {
        found.append(
          ConfigurationProblem(
            file: file.path, line: section.line, message: "[\(section.name)] has no Match=; write which devices it has")
        )
      }
      configuration.screens.add(
        ScreenRules.Section(name: name, place: "\(file.path):\(section.line)", matches: matches))
    }
  }

  /// `handlers.d/*.conf` in all folders, by name. A file that is replaced by a later folder's is not read.
  mutating func readHandlers(in folders: [String]) {
    var paths: [String: String] = [:]
    for folder in folders {
      for file in list("\(folder)/handlers.d") { paths[file.stem] = file.path }
    }
    for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
      guard let file = ConfigurationFile(path: path) else { continue }
      readHandler(name, file)
    }
  }

  private mutating func readHandler(_ name: String, _ file: ConfigurationFile) {
    var found = problems(of: file, known: .handler)
    var kinds: [HandlerKind] = []
    var parameters: [ParameterDefinition] = []
    var timeout: Duration = .seconds(300)
    var quietPeriod: Duration?
    var policy = HandlerPolicy()
    var reboots = false
    var rebootTimeout: Duration?
    var allowed: Principals?
    var guardKind = GuardKind.verify
    var feedback: (onApply: FeedbackKind?, onFail: FeedbackKind?)
    for entry in file.entries where entry.section == "Handler" {
      do throws(ConfigurationValue.Refused) {
        switch entry.key {
        case "Exec": kinds.append(.program(try ConfigurationValue.command(entry.value)))
        case "Unit": kinds.append(.unit(try ConfigurationValue.unit(entry.value)))
        case "Deliver":
          if try ConfigurationValue.yesOrNo(entry.value) { kinds.append(.delivery) }
        case "Param": parameters.append(try ConfigurationValue.parameter(entry.value, after: parameters))
        case "QuietPeriod": quietPeriod = try ConfigurationValue.timeSpan(entry.value)
        case "Attempts": policy.attempts = try ConfigurationValue.number(entry.value, 1...100)
        case "Backoff":
          policy.backoff = try ConfigurationValue.timeSpan(entry.value, atLeast: .milliseconds(100))
        case "Coalesce": policy.coalescing = try ConfigurationValue.coalescing(entry.value)
        case "OnInterrupted":
          policy.onInterrupted = try ConfigurationValue.choice(entry.value)
        case "Guard": guardKind = try ConfigurationValue.choice(entry.value)
        case "Reboots": reboots = try ConfigurationValue.yesOrNo(entry.value)
        case "RebootTimeout": rebootTimeout = try ConfigurationValue.timeSpan(entry.value, atLeast: .seconds(1))
        case "SatisfiedByReboot": policy.isSatisfiedByReboot = try ConfigurationValue.yesOrNo(entry.value)
        case "AllowUsers", "AllowGroups":
          var principals = allowed ?? Principals()
          for word in entry.value.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            if entry.key == "AllowUsers" {
              try principals.addUser(String(word))
            } else {
              try principals.addGroup(String(word))
            }
          }
          allowed = principals
        case "FeedbackOnApply": feedback.onApply = try ConfigurationValue.feedback(entry.value)
        case "FeedbackOnFail": feedback.onFail = try ConfigurationValue.feedback(entry.value)
        case "Timeout": timeout = try ConfigurationValue.timeSpan(entry.value, atLeast: .milliseconds(1))
        default: break  // unknown, and reported as such
        }
      } catch {
        found.append(problem(file, entry, error))
      }
    }
    // In a file with a mistake of form the line may only not have been recognized.
    let choices = ["Exec", "Unit", "Deliver"]
    if file.problems.isEmpty, kinds.isEmpty,
      !file.entries.contains(where: { choices.contains($0.key) && $0.key != "Deliver" })
    {
      found.append(
        ConfigurationProblem(
          file: file.path, line: nil,
          message: "Exec= or Unit= is missing in [Handler]; write the program to start, with its absolute path, or a "
            + "unit of systemd, or Deliver=yes"))
    }
    if kinds.count > 1, let entry = file.entries.last(where: { choices.contains($0.key) }) {
      found.append(
        ConfigurationProblem(
          file: file.path, line: entry.line,
          message: "\(entry.key)= is one too many; keep one of Exec=, Unit= and Deliver="))
    }
    if reboots {
      policy.rebootTimeout = rebootTimeout ?? .seconds(600)
    } else if rebootTimeout != nil, let entry = file.entries.first(where: { $0.key == "RebootTimeout" }) {
      found.append(
        ConfigurationProblem(
          file: file.path, line: entry.line, message: "RebootTimeout= is nothing without Reboots=yes"))
    }
    if !ConfigurationValue.isHandlerName(name) {
      found.append(
        ConfigurationProblem(
          file: file.path, line: nil,
          message: "the file's name without .conf names the handler; use 1 to 64 of A-Z a-z 0-9 . _ -"))
    }
    report(found)
    if found.isEmpty, let kind = kinds.first {
      configuration.handlers[name] = HandlerDefinition(
        name: name, file: file.path, kind: kind, parameters: parameters,
        timeout: timeout, quietPeriod: quietPeriod, guardKind: guardKind, allowed: allowed, policy: policy)
      configuration.handlers[name]?.feedbackOnApply = feedback.onApply
      configuration.handlers[name]?.feedbackOnFail = feedback.onFail
    }
  }

  /// What is wrong with a file whatever its values: its form, unknown sections and keys, keys given twice.
  private func problems(of file: ConfigurationFile, known: KnownKeys) -> [ConfigurationProblem] {
    var found = file.problems
    for section in file.sections {
      guard let message = known.problem(section: section.name) else { continue }
      found.append(ConfigurationProblem(file: file.path, line: section.line, message: message))
    }
    var lines: [[String]: Int] = [:]
    for entry in file.entries {
      if let message = known.problem(key: entry.key, section: entry.section) {
        found.append(ConfigurationProblem(file: file.path, line: entry.line, message: message))
      } else if known.sections[known.kind(of: entry.section)] != nil, !known.repeatable.contains(entry.key) {
        if let first = lines[[entry.section, entry.key]] {
          let message = "\(entry.key)= stands a second time, first in line \(first); keep one of them"
          found.append(ConfigurationProblem(file: file.path, line: entry.line, message: message))
        } else {
          lines[[entry.section, entry.key]] = entry.line
        }
      }
    }
    return found
  }

  private func problem(
    _ file: ConfigurationFile, _ entry: ConfigurationFile.Entry, _ reason: ConfigurationValue.Refused
  ) -> ConfigurationProblem {
    ConfigurationProblem(file: file.path, line: entry.line, message: "\(entry.key)= \(reason.message)")
  }

  /// By line; what has none comes last.
  private mutating func report(_ found: [ConfigurationProblem]) {
    problems += found.sorted { ($0.line ?? .max) < ($1.line ?? .max) }
  }

  /// The `.conf` files of a folder in the order of their names' bytes, without hidden ones (editors leave them behind).
  /// Empty where there is no such folder.
  private mutating func list(_ folder: String) -> [(path: String, stem: String)] {
    guard let stream = opendir(folder) else {
      if errno != ENOENT {
        let message = "cannot be read: \(String(cString: strerror(errno)))"
        problems.append(ConfigurationProblem(file: folder, line: nil, message: message))
      }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".conf"), !name.hasPrefix(".") { names.append(name) }
    }
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return names.map { ("\(folder)/\($0)", String($0.dropLast(".conf".count))) }
  }
}
