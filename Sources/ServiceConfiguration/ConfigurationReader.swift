import DeviceRules
import Glibc
import Linux

/// Reads files into a `Configuration`, and collects their problems instead of stopping at the first.
struct ConfigurationReader {
  private(set) var configuration = Configuration()
  private(set) var problems: [ConfigurationProblem] = []

  /// `touchgate.conf` and its drop-ins in one folder; their values replace those that were read before.
  mutating func readSettings(in folder: String) {
    for path in ["\(folder)/touchgate.conf"] + list("\(folder)/touchgate.conf.d").map(\.path) {
      guard let file = ConfigurationFile(path: path) else { continue }
      var found = file.problems + KnownKeys.settings.problems(in: file)
      addScreens(of: file, &found)
      _ = Self.read(file, SettingsTable.rows, .settings, into: &configuration, &found)
      report(found)
    }
  }

  /// Adds an empty screen per `[Screen NAME]`; it replaces the one of an earlier file as a whole.
  private mutating func addScreens(of file: ConfigurationFile, _ found: inout [ConfigurationProblem]) {
    for (section, line) in file.sections {
      guard let name = ConfigurationFile.screenName(section) else { continue }
      guard ScreenRules.isName(name) else {
        found.append(ConfigurationProblem(file: file.path, line: line, .badScreenName))
        continue
      }
      if !file.entries.contains(where: { $0.section == section }) {
        found.append(ConfigurationProblem(file: file.path, line: line, .screenWithoutDevices, section))
      }
      configuration.screens.add(ScreenRules.Section(name: name, place: "\(file.path):\(line)", matches: []))
    }
  }

  /// `handlers.d/*.conf` in all folders, by name. A file that a later folder replaces is not read.
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
    var draft = HandlerDraft(name: name, file: file.path)
    var found = file.problems + KnownKeys.handler.problems(in: file)
    let refused = Self.read(file, HandlerTable.rows, .handler, into: &draft, &found)
    func last(_ keys: [String]) -> ConfigurationFile.Entry? {
      file.entries.last { $0.section == HandlerTable.section && keys.contains($0.key) }
    }
    // A kind that was given but refused has been reported, and a line of bad form may have been the kind.
    if draft.kinds.isEmpty, file.problems.isEmpty, refused.isDisjoint(with: HandlerTable.kinds) {
      found.append(ConfigurationProblem(file: file.path, line: nil, .noKind))
    }
    if draft.kinds.count > 1, let entry = last(HandlerTable.kinds) {
      found.append(ConfigurationProblem(file: file.path, line: entry.line, .severalKinds))
    }
    // Updates go to whoever connects first, with all that they contain.
    if draft.delivers, !draft.namesUsers, refused.isDisjoint(with: ["AllowUsers"]), let entry = last(["Deliver"]) {
      found.append(ConfigurationProblem(file: file.path, line: entry.line, .deliversToAnybody))
    }
    if !draft.reboots, let entry = last(["RebootTimeout"]) {
      found.append(ConfigurationProblem(file: file.path, entry, Refused(.needsReboots)))
    }
    if !HandlerDefinition.isName(name) {
      found.append(ConfigurationProblem(file: file.path, line: nil, .badHandlerName))
    }
    report(found)
    if found.isEmpty { configuration.handlers[name] = draft.finished }
  }

  /// Reads every line that has a row. Returns the keys whose value was refused.
  private static func read<Target>(
    _ file: ConfigurationFile, _ rows: [Setting<Target>], _ known: KnownKeys, into target: inout Target,
    _ found: inout [ConfigurationProblem]
  ) -> Set<String> {
    var refused: Set<String> = []
    for entry in file.entries {
      let section = known.kind(of: entry.section)
      guard let row = rows.first(where: { $0.section == section && $0.key == entry.key }) else { continue }
      do throws(Refused) {
        try row.read(entry, &target)
      } catch {
        refused.insert(entry.key)
        found.append(ConfigurationProblem(file: file.path, entry, error))
      }
    }
    return refused
  }

  /// Sorted by line; problems without a line are last.
  private mutating func report(_ found: [ConfigurationProblem]) {
    problems += found.sorted { ($0.line ?? .max) < ($1.line ?? .max) }
  }

  /// The `.conf` files of a folder in the order of their names' bytes, without hidden ones (editors leave them behind).
  /// Empty if there is no such folder.
  mutating func list(_ folder: String) -> [(path: String, stem: String)] {
    let all: [String]
    do throws(Errno) {
      all = try Linux.names(in: folder)
    } catch {
      if error.code != ENOENT {
        problems.append(ConfigurationProblem(file: folder, line: nil, .unreadable, "\(error)"))
      }
      return []
    }
    return all.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { ("\(folder)/\($0)", String($0.dropLast(".conf".count))) }
  }
}
