/// The units that the service may start and stop, and the polkit rule that allows exactly these.
///
/// Polkit also asks this rule when somebody wants to start a transient unit, whose commands the caller chooses and root
/// runs. So a name is only allowed if a unit file has it (`PermittedUnits`): systemd refuses a transient unit of a name
/// that has a file. A prefix would allow every other name
/// (docs/decisions/0024-the-polkit-rule-follows-from-handler-files.md).
public struct UnitPermissions: Equatable, Sendable {
  /// Units that are allowed by their whole name.
  public private(set) var names: Set<String> = []
  /// Templates, `NAME@.service`: allowed with an update's id as instance, and not without.
  public private(set) var templates: Set<String> = []

  /// Names of units and of templates; whatever else they contain, the rule quotes.
  public init(_ units: some Sequence<String>) {
    for unit in units {
      if unit.hasSuffix(Self.templateEnd) { templates.insert(unit) } else { names.insert(unit) }
    }
  }

  private static let templateEnd = "@.service"

  public var isEmpty: Bool { names.isEmpty && templates.isEmpty }

  /// A file for `rules.d` of polkit(8): JavaScript of ECMAScript 5, which all of polkit's engines run.
  public var rule: String {
    """
    // Written by touchgated.service at each start and reload, from the files in handlers.d; a change is overwritten.
    polkit.addRule(function(action, subject) {
      if (action.id !== "org.freedesktop.systemd1.manage-units" || subject.user !== "touchgate") return;
      var verb = action.lookup("verb");
      if (verb !== "start" && verb !== "stop") return;
      var unit = action.lookup("unit");
      if (typeof unit !== "string") return;
      var names = [\(Self.list(names))];
      if (names.indexOf(unit) >= 0) return polkit.Result.YES;
      var templates = [\(Self.list(templates.map { String($0.dropLast(".service".count)) }))];
      for (var i = 0; i < templates.length; i++) {
        if (unit.slice(0, templates[i].length) !== templates[i]) continue;
        var rest = unit.slice(templates[i].length);
        if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\\.service$/.test(rest)) return polkit.Result.YES;
      }
    });

    """
  }

  private static func list(_ strings: some Collection<String>) -> String {
    strings.isEmpty ? "" : strings.sorted().map { "\n    " + quoted($0) }.joined(separator: ",") + "\n  "
  }

  /// A string literal: every character but letters, digits and a few signs of ASCII as \uXXXX, so that no name can end
  /// the literal, the line or the script.
  static func quoted(_ text: String) -> String {
    var literal = "\""
    for unit in text.utf16 {
      if let scalar = Unicode.Scalar(unit), scalar.isLetterOrDigit || "@._:-".unicodeScalars.contains(scalar) {
        literal.unicodeScalars.append(scalar)
      } else {
        let digits = String(unit, radix: 16)
        literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return literal + "\""
  }
}
