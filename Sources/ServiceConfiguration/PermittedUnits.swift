import Glibc
import Linux

/// Finds the units that the administrator's handler files name, for a step that runs as root. Files that anybody but
/// root can change are not read: what they name is not allowed.
public struct PermittedUnits {
  /// Allowed.
  public private(set) var permissions = UnitPermissions([])
  /// What is not allowed and why, one line each, for the log.
  public private(set) var notes: [String] = []

  /// Where systemd finds unit files that people and packages install (systemd.unit(5)), in its order. Not: what
  /// generators and clients of the bus make.
  public static let unitFolders = [
    "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
    "/lib/systemd/system",
  ]

  /// Reads `handlers.d` in each of the folders; a file of the same name in a later one replaces the earlier.
  public init(folders: [String], unitFolders: [String] = unitFolders) {
    self.init(folders: folders, unitFolders: unitFolders, trust: TrustedPath())
  }

  init(folders: [String], unitFolders: [String], trust: TrustedPath) {
    var files: [String: String] = [:]
    for folder in folders.map({ "\($0)/handlers.d" }) {
      switch trust.problem(folder: folder) {
      case .missing: continue
      case .notRegular: notes.append("\(folder) is not a folder; units of its handlers are not allowed")
      case .untrusted(let reason): notes.append("\(reason); units of the handlers in \(folder) are not allowed")
      case nil:
        var reader = ConfigurationReader()
        for file in reader.list(folder) { files[file.stem] = file.path }
        notes += reader.problems.map(\.description)
      }
    }
    var units: Set<String> = []
    for (_, path) in files.sorted(by: { $0.key < $1.key }) {
      switch trust.problem(path) {
      case .missing, .notRegular: continue  // A link to /dev/null removes a handler.
      case .untrusted(let reason): notes.append("\(reason); the unit of the handler \(path) is not allowed")
      case nil:
        guard let unit = Self.unit(namedBy: path) else { continue }
        if let reason = Self.obstacle(unit, unitFolders, trust) {
          notes.append("\(path): unit \(unit) is not allowed: \(reason)")
        } else {
          units.insert(unit)
        }
      }
    }
    permissions = UnitPermissions(units)
  }

  /// `Unit=` of a handler file; nil if it has none, several, or none that is valid: the service refuses such a file.
  private static func unit(namedBy path: String) -> String? {
    guard let file = ConfigurationFile(path: path), file.problems.isEmpty else { return nil }
    let entries = file.entries.filter { $0.section == HandlerTable.section && $0.key == "Unit" }
    guard entries.count == 1, let entry = entries.first else { return nil }
    return try? ValueReader<String>.unit.read(entry.value)
  }

  /// Why a unit's file does not suffice; nil if it does. The first file counts, as it does for systemd. An instance
  /// may have its template's.
  private static func obstacle(_ unit: String, _ folders: [String], _ trust: TrustedPath) -> String? {
    var names = [unit]
    if let at = unit.firstIndex(of: "@"), !unit.hasSuffix("@.service") { names.append("\(unit[...at]).service") }
    for name in names {
      for folder in folders {
        switch trust.problem("\(folder)/\(name)") {
        case .missing: continue
        case .notRegular: return "it is masked, or its file is not a regular file"
        case .untrusted(let reason): return reason
        case nil: return nil
        }
      }
    }
    return "it has no unit file in \(folders.joined(separator: ", "))"
  }
}
