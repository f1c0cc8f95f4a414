import Foundation
import Glibc
import Testing

@testable import ServiceConfiguration

@Suite("The polkit rule")
struct UnitPermissionsTests {
  /// Names that would end the string, the line or the script if they were not quoted.
  static let hostile = [
    "a\"];return polkit.Result.YES;//.service", "a\\", "a\\\".service",
    "a\n});polkit.addRule(function(){return \"yes\"});//",
    "a\u{2028}b.service", "*/", "<!--", "${unit}.service", "\u{0}", "é.service", "a\u{1F600}.service", "__proto__",
    ".*", "@.service", "x@.service@.service",
  ]

  @Test("a name is quoted so that it is one string literal of letters, digits and escapes", arguments: hostile)
  func quoted(name: String) throws {
    let literal = UnitPermissions.quoted(name)
    let allowed = literal.unicodeScalars.dropFirst().dropLast().allSatisfy {
      $0.isLetterOrDigit || "\\@._:-".unicodeScalars.contains($0)
    }
    #expect(literal.hasPrefix("\"") && literal.hasSuffix("\"") && allowed, "\(literal)")
    #expect(try JSONDecoder().decode(String.self, from: Data(literal.utf8)) == name)
  }

  @Test("without units nothing is allowed, and with units only these")
  func rules() {
    #expect(UnitPermissions([]).isEmpty)
    let permissions = UnitPermissions(["b.service", "a@.service", "a@x.service"])
    #expect(permissions.names == ["b.service", "a@x.service"] && permissions.templates == ["a@.service"])
    #expect(permissions == UnitPermissions(["a@x.service", "a@.service", "b.service", "b.service"]))
    #expect(permissions.rule.contains("\"b.service\"") && permissions.rule.contains("\"a@\""))
  }

  /// A program that runs JavaScript.
  private static let engine: String? = ["/usr/bin/duk", "/usr/bin/qjs", "/usr/bin/node"].first {
    access($0, X_OK) == 0
  }

  /// What the rule answers to each question: unit, verb, user, action.
  private func answers(_ rule: String, _ questions: [[String?]]) throws -> [String] {
    let root = try Root()
    // ASCII only: in ECMAScript 5 some characters end a line within a string.
    let data = String(decoding: try JSONEncoder().encode(questions), as: UTF8.self).utf16.map {
      $0 < 128
        ? String(Character(Unicode.Scalar(UInt8($0)))) : "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst()
    }.joined()
    try root.write(
      "rule.js",
      """
      var rules = [];
      var polkit = { Result: { YES: "yes", NO: "no" }, addRule: function(rule) { rules.push(rule); } };
      var say = typeof console !== "undefined" ? function(text) { console.log(text); } : print;
      \(rule)
      \(data).forEach(function(question) {
        var details = { unit: question[0], verb: question[1] };
        var action = {
          id: question[3],
          lookup: function(key) { return details[key] === null ? undefined : details[key]; }
        };
        var answer = rules.length === 1 ? rules[0](action, { user: question[2] }) : rules.length + " rules";
        say(answer === undefined ? "-" : answer);
      });
      """)
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: try #require(Self.engine))
    process.arguments = ["\(root.path)/rule.js"]
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  static let manage = "org.freedesktop.systemd1.manage-units"

  @Test(
    "evaluated: only the service may start and stop these units, and a template only with an id",
    .enabled(if: engine != nil, "needs a program that runs JavaScript: duktape, quickjs or nodejs"))
  func evaluated() throws {
    let rule = UnitPermissions(["touchgate-a.service", "touchgate-t@.service"]).rule
    func ask(
      _ unit: String?, _ verb: String? = "start", _ user: String = "touchgate", _ action: String? = nil
    ) -> [String?] {
      [unit, verb, user, action ?? Self.manage]
    }
    let allowed = [
      ask("touchgate-a.service"), ask("touchgate-a.service", "stop"), ask("touchgate-t@01J9Z.service"),
      ask("touchgate-t@a.b_c-d.service", "stop"), ask("touchgate-t@\(String(repeating: "x", count: 64)).service"),
    ]
    let refused = [
      ask("touchgate-x.service"), ask("touchgate-a.service.service"), ask("touchgate-a"), ask("touchgate-"),
      ask("xtouchgate-a.service"), ask("touchgate-t@.service"), ask("touchgate-t.service"),
      ask("touchgate-t@-x.service"),
      ask("touchgate-t@a.mount"), ask("touchgate-t@a.service\n"), ask("touchgate-t@a/b.service"),
      ask("touchgate-t@\(String(repeating: "x", count: 65)).service"), ask("touchgate-t@a\\x2d.service"),
      ask("touchgate-t@a@b.service"), ask(""), ask(nil), ask("indexOf"), ask("touchgate-a.service", "restart"),
      ask("touchgate-a.service", "set-property"), ask("touchgate-a.service", nil),
      ask("touchgate-a.service", "start", "root2"), ask("touchgate-a.service", "start", "nobody"),
      ask("touchgate-a.service", "start", "touchgate", "org.freedesktop.systemd1.manage-unit-files"),
    ]
    #expect(try answers(rule, allowed) == allowed.map { _ in "yes" })
    #expect(try answers(rule, refused) == refused.map { _ in "-" })
  }

  @Test(
    "evaluated: hostile names are data",
    .enabled(if: engine != nil, "needs a program that runs JavaScript: duktape, quickjs or nodejs"))
  func hostileNames() throws {
    let rule = UnitPermissions(Self.hostile).rule
    // Each is its own name and allows nothing else.
    let names = Self.hostile.filter { !$0.hasSuffix("@.service") && !$0.contains("\u{0}") }
    #expect(
      try answers(rule, names.map { [$0, "start", "touchgate", Self.manage] }) == names.map { _ in "yes" })
    #expect(
      try answers(
        rule,
        ["a.service", "b", "x@.service@a.mount", "touchgate-x.service"].map { [$0, "start", "touchgate", Self.manage] })
        == ["-", "-", "-", "-"])
  }
}

@Suite("The units that handler files of root name")
struct PermittedUnitsTests {
  let root: Root
  let units = ["etc/units", "lib/units"]

  init() throws {
    root = try Root()
    try root.write("etc/units/touchgate-a.service", "")
    try root.write("lib/units/touchgate-t@.service", "")
    try root.write("lib/units/touchgate-old.service", "")
  }

  private var found: PermittedUnits {
    PermittedUnits(
      folders: ["usr", "etc"].map { "\(root.path)/\($0)" }, unitFolders: units.map { "\(root.path)/\($0)" },
      trust: TrustedPath(owner: getuid(), top: root.path))
  }

  private func handler(_ name: String, _ lines: String, in folder: String = "etc") throws {
    try root.write("\(folder)/handlers.d/\(name).conf", "[Handler]\n\(lines)\n")
  }

  @Test(
    "units and templates that exist are allowed; a later file replaces an earlier one, a link to /dev/null removes it")
  func allowed() throws {
    try handler("a", "Unit=touchgate-a.service")
    try handler("t", "Unit=touchgate-t@.service")
    try handler("i", "Unit=touchgate-t@fixed.service")
    try handler("program", "Exec=/bin/true")
    try handler("replaced", "Unit=touchgate-old.service", in: "usr")
    try handler("replaced", "Exec=/bin/true")
    try handler("removed", "Unit=touchgate-old.service", in: "usr")
    try #require(symlink("/dev/null", "\(root.path)/etc/handlers.d/removed.conf") == 0)
    #expect(
      found.permissions
        == UnitPermissions(["touchgate-a.service", "touchgate-t@.service", "touchgate-t@fixed.service"]))
    #expect(found.notes == [])
  }

  @Test("a unit without a file is not allowed: anybody could make it a transient unit")
  func missing() throws {
    try handler("x", "Unit=touchgate-x.service")
    try handler("m", "Unit=touchgate-m.service")
    try #require(symlink("/dev/null", "\(root.path)/etc/units/touchgate-m.service") == 0)
    #expect(found.permissions.isEmpty)
    #expect(found.notes.count == 2 && found.notes[0].contains("masked") && found.notes[1].contains("no unit file"))
  }

  @Test("a file that others may write to, or that is reached through their folder, is not trusted")
  func writable() throws {
    for name in ["a", "b", "c"] { try handler(name, "Unit=touchgate-a.service") }
    chmod("\(root.path)/etc/handlers.d/a.conf", 0o664)
    #expect(found.permissions == UnitPermissions(["touchgate-a.service"]), "the other files name it too")
    #expect(found.notes.count == 1 && found.notes[0].contains("others than root may write to"))
    chmod("\(root.path)/etc/handlers.d", 0o777)
    #expect(found.permissions.isEmpty)
    chmod("\(root.path)/etc/handlers.d", 0o755)
    chmod("\(root.path)/etc/units/touchgate-a.service", 0o666)
    #expect(found.permissions.isEmpty)
    chmod("\(root.path)/etc/units/touchgate-a.service", 0o644)
    try root.write("open/file.service", "")
    chmod("\(root.path)/open", 0o1777)
    try #require(symlink("../../open/file.service", "\(root.path)/etc/units/touchgate-link.service") == 0)
    try handler("link", "Unit=touchgate-link.service")
    #expect(!found.permissions.names.contains("touchgate-link.service"))
  }

  @Test("a file of another user is not read", .enabled(if: getuid() == 0, "needs root, to give a file away"))
  func foreign() throws {
    try handler("a", "Unit=touchgate-a.service")
    chown("\(root.path)/etc/handlers.d/a.conf", 65534, 65534)
    #expect(found.permissions.isEmpty && found.notes[0].contains("belongs to user 65534"))
    chown("\(root.path)/etc/handlers.d/a.conf", 0, 0)
    #expect(!found.permissions.isEmpty)
    chown("\(root.path)/etc/units/touchgate-a.service", 65534, 65534)
    #expect(found.permissions.isEmpty)
    let link = "\(root.path)/etc/units/touchgate-a.service"
    unlink(link)
    try root.write("lib/units/touchgate-a.service", "")
    try #require(symlink("../../lib/units/touchgate-a.service", link) == 0)
    #expect(!found.permissions.isEmpty)
    lchown(link, 65534, 65534)
    #expect(found.permissions.isEmpty)
  }

  @Test("a file with two Unit= lines, an invalid one, or mistakes names no unit")
  func invalid() throws {
    try handler("two", "Unit=touchgate-a.service\nUnit=touchgate-a.service")
    try handler("bad", "Unit=touchgate-a.service\"")
    try handler("other", "Unit=touchgate-a.service\nnonsense")
    try root.write("etc/handlers.d/place.conf", "[Gate]\nUnit=touchgate-a.service\n")
    #expect(found.permissions.isEmpty)
  }

  @Test("links that go round, and folders in the place of files, are refused")
  func oddPaths() throws {
    try #require(symlink("b.service", "\(root.path)/etc/units/a.service") == 0)
    try #require(symlink("a.service", "\(root.path)/etc/units/b.service") == 0)
    try root.write("etc/units/folder.service/x", "")
    try handler("a", "Unit=a.service")
    try handler("f", "Unit=folder.service")
    #expect(found.permissions.isEmpty && found.notes.count == 2)
  }

  @Test("the rule's file is replaced in one step, left alone if nothing changes, and removed without units")
  func file() throws {
    let file = PolkitRuleFile(path: "\(root.path)/50-touchgate.rules")
    let permissions = UnitPermissions(["touchgate-a.service"])
    let old = umask(0o077)
    defer { umask(old) }
    #expect(try file.write(permissions) == .written)
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o644, "polkitd reads it")
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == permissions.rule)
    #expect(try file.write(permissions) == .unchanged)
    #expect(try file.write(UnitPermissions(["b.service"])) == .written)
    #expect(try file.write(UnitPermissions([])) == .removed && access(file.path, F_OK) != 0)
    #expect(try file.write(UnitPermissions([])) == .unchanged)
    #expect(try PolkitRuleFile(path: "\(root.path)/none/x.rules").write(permissions) == .noFolder)
    try root.write("target", "kept")
    try #require(symlink("\(root.path)/target", file.path) == 0)
    #expect(try file.write(permissions) == .written)
    #expect(try String(contentsOfFile: "\(root.path)/target", encoding: .utf8) == "kept", "no link is followed")
  }
}
