import DeviceRules
import ProjectFiles
import Testing

@testable import ServiceConfiguration

/// The keys of touchgate.conf(5), each with its text.
struct ManualPage {
  /// By `Section Key`; plain text without mdoc macros.
  private(set) var keys: [String: String] = [:]
  /// By section: everything below its heading.
  private(set) var sections: [String: String] = [:]

  init() throws {
    var section: String?
    var item: [String] = []
    for line in try ProjectFiles.text("man/touchgate.conf.5").split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words.first {
      case ".Sh":
        section = line.split { $0 == "[" || $0 == "]" }.count == 3 ? String(line.split { "[]".contains($0) }[1]) : nil
      case ".It":
        item = words.dropFirst().filter { $0.hasSuffix("=") }.map { String($0.dropLast()) }
      case ".El":
        item = []
      default:
        guard let section else { continue }
        let text = (line.hasPrefix(".") ? words.dropFirst() : words[...]).joined(separator: " ") + " "
        sections[section, default: ""] += text
        for key in item { keys["\(section) \(key)", default: ""] += text }
      }
    }
  }

  /// What is written after `Default:`, without the full stop.
  func standard(_ name: String) -> String? {
    guard let range = keys[name]?.firstRange(of: "Default: ") else { return nil }
    let text = keys[name]?[range.upperBound...].prefix { $0 != "." } ?? ""
    return text.split(separator: " ").joined(separator: " ")
  }
}

/// A file of `config/`: its keys, most of them in comments.
struct ShippedFile {
  struct Line {
    let section: String
    let key: String
    let value: String
  }

  private(set) var lines: [Line] = []
  /// The file with all keys and sections in force.
  private(set) var uncommented: [String] = []

  init(_ path: String) throws {
    var section = ""
    for line in try ProjectFiles.text(path).split(separator: "\n") {
      let text = line.drop { $0 == "#" }
      let word = text.prefix { $0.isLetter }
      if text.first == "[" {
        section = KnownKeys.settings.kind(of: String(text.dropFirst().dropLast()))
      } else if !word.isEmpty, text.dropFirst(word.count).first == "=" {
        lines.append(Line(section: section, key: String(word), value: String(text.dropFirst(word.count + 1))))
      } else {
        continue
      }
      uncommented.append(String(text))
    }
  }

  func values(_ row: Row) -> [String] { lines.filter { $0.section == row.section && $0.key == row.key }.map(\.value) }
}

@Suite("Documentation of settings")
struct SettingsDocumentationTests {
  static let rows = Row.settings + Row.handler

  let manual: ManualPage
  let settings: ShippedFile
  let handler: ShippedFile

  init() throws {
    manual = try ManualPage()
    settings = try ShippedFile("config/touchgate.conf")
    handler = try ShippedFile("config/handlers.d/every-key.conf.example")
  }

  @Test("touchgate.conf(5) explains every key and states its default", arguments: rows)
  func explained(_ row: Row) throws {
    #expect(manual.keys[row.name] != nil)
    switch row.standard {
    case "": #expect(["none", "nobody"].contains(try #require(manual.standard(row.name))))
    case let standard?: #expect(manual.standard(row.name) == standard)
    case nil: break
    }
  }

  @Test("touchgate.conf(5) and config/ have no other keys")
  func unknown() {
    let known = Set(Self.rows.map(\.name))
    #expect(Set(manual.keys.keys) == known)
    #expect(Set((settings.lines + handler.lines).map { "\($0.section) \($0.key)" }) == known)
  }

  @Test("the shipped files show every key, with its default if there is one", arguments: rows)
  func shipped(_ row: Row) {
    let values = row.section == HandlerTable.section ? handler.values(row) : settings.values(row)
    if let standard = row.standard { #expect(values == [standard]) } else { #expect(!values.isEmpty) }
  }

  @Test("touchgate.conf(5) mentions a restart for exactly the sections that need one")
  func restart() {
    for (section, text) in manual.sections where section != HandlerTable.section {
      let needed = Row.settings.contains { $0.section == section && $0.reload == .restart }
      #expect(text.contains("after a restart of the service") == needed, "[\(section)]")
    }
  }

  @Test("the shipped touchgate.conf is valid, also with every comment line in force")
  func valid() throws {
    let root = try Root()
    try root.write("etc/touchgate.conf", try ProjectFiles.text("config/touchgate.conf"))
    #expect(try root.read() == Configuration())
    try root.write("etc/touchgate.conf", settings.uncommented.joined(separator: "\n"))
    #expect(try root.read().screens.names == ["lobby"])
  }

  @Test(
    "the example handlers are valid",
    arguments: ["every-key", "install-menu", "reload-page", "show-notice"])
  func examples(_ name: String) throws {
    let root = try Root()
    try root.write("etc/handlers.d/\(name).conf", try ProjectFiles.text("config/handlers.d/\(name).conf.example"))
    #expect(try root.read().handlers.keys.sorted() == [name])
  }

  @Test("every line of the example with every key is valid")
  func everyKey() throws {
    let root = try Root()
    let kinds = handler.lines.filter { HandlerTable.kinds.contains($0.key) && $0.value != "no" }
    let others = handler.lines.filter { !HandlerTable.kinds.contains($0.key) && $0.key != "Reboots" }
    #expect(kinds.map(\.key) == ["Exec", "Unit"])
    for kind in kinds {
      let lines = [kind] + others
      let text = lines.map { "\($0.key)=\($0.value)\n" }.joined()
      try root.write("etc/handlers.d/h.conf", "[Handler]\nReboots=yes\n\(text)")
      #expect(try root.read().handlers["h"] != nil)
    }
  }
}
