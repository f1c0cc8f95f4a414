import Foundation
import ProjectFiles

/// The project's source files, read as text: what a build accepts and the design forbids.
struct SourceTree {
  struct File {
    /// From the root of the project: `Sources/Timeline/Instant.swift`.
    let path: String
    /// Without comments.
    let lines: [String]

    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// Names of the imported modules, whatever precedes the word `import`, and whatever kind of import it is.
    var imports: [String] {
      lines.compactMap { line in
        let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
        guard let place = words.firstIndex(of: "import"), words[..<place].allSatisfy(Self.isModifier) else {
          return nil
        }
        let kinds: Set = ["class", "enum", "func", "let", "protocol", "struct", "typealias", "var"]
        let name = words[(place + 1)...].first { !kinds.contains($0) } ?? ""
        return name.split { $0 == "." || $0 == ";" }.first.map(String.init)
      }
    }

    private static func isModifier(_ word: String) -> Bool {
      word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }
  }

  let files: [File]

  /// All Swift files below `Sources`.
  init() throws {
    var files: [File] = []
    let folder = ProjectFiles.root.appending(path: "Sources")
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    for name in names.sorted() where name.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      files.append(File(path: "Sources/\(name)", lines: Self.code(text)))
    }
    self.files = files
  }

  /// The lines without `//` comments and without the content of string literals.
  static func code(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var result = ""
      var inString = false
      var rest = Substring(line)
      while let character = rest.popFirst() {
        if inString && character == "\\" {
          _ = rest.popFirst()
        } else if character == "\"" {
          inString.toggle()
        } else if !inString && character == "/" && rest.first == "/" {
          break
        } else if !inString {
          result.append(character)
        }
      }
      return result
    }
  }
}
