import Glibc
import Linux

/// One file in systemd's form (systemd.syntax(7)), uninterpreted; only comments are dropped. Lines are `[Section]`,
/// `Key=value`, empty, or comments (`#` or `;` first). White space around lines, keys and values is ignored, and so is
/// the CR of CRLF. A `#` or `;` later in a line, quotes and backslashes belong to the value.
///
/// Not libeconf: 0.5.1 cuts values at `#` and `;` and strips the outer quotes of `"a b" "c"`, appends a line without
/// `=` to the value above it, forgets the second of two equal keys, splits lines at 8 KiB, ends lines at a NUL, takes a
/// directory for an empty file, and stops at the first mistake.
struct ConfigurationFile {
  struct Entry: Equatable {
    let section: String
    let key: String
    /// May be empty.
    let value: String
    let line: Int

    /// NAME of `[Screen NAME]`; nil in any other section.
    var screenName: String? { ConfigurationFile.screenName(section) }
  }

  /// NAME of the section `Screen NAME`; nil of any other.
  static func screenName(_ section: String) -> String? {
    section.hasPrefix("Screen ") ? String(section.dropFirst("Screen ".count)).withoutBlankEnds : nil
  }

  /// In the order of the file.
  private(set) var entries: [Entry] = []
  /// Every section header, in the order of the file.
  private(set) var sections: [(name: String, line: Int)] = []
  /// Problems with the form of the file.
  private(set) var problems: [ConfigurationProblem] = []
  let path: String

  /// Bytes; a larger file is a mistake.
  private static let largest = 1024 * 1024

  /// Reads a file. Nil if it does not exist, or is a link to /dev/null, which is how systemd's files are masked.
  init?(path: String) {
    self.path = path
    switch Self.read(path) {
    case .missing: return nil
    case .refused(let problem): problems = [problem]
    case .bytes(let bytes): parse(bytes)
    }
  }

  private mutating func parse(_ bytes: [UInt8]) {
    if let nul = bytes.firstIndex(of: 0) {
      return report(line: 1 + bytes[..<nul].count { $0 == UInt8(ascii: "\n") }, .containsNUL)
    }
    var section: String?
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]  // an editor's byte order mark
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (line, content) in zip(1..., lines) {
      guard let text = String(validating: content, as: UTF8.self)?.withoutBlankEnds else {
        report(line: line, .notUTF8)
        continue
      }
      switch text.utf8.first {
      case nil, UInt8(ascii: "#"), UInt8(ascii: ";"):
        continue
      case UInt8(ascii: "["):
        let name = String(text.unicodeScalars.dropFirst().dropLast())
        guard text.utf8.last == UInt8(ascii: "]"), !name.isEmpty, !name.contains(where: { "[]".contains($0) }) else {
          report(line: line, .badSectionHeader, text.quotedForMessage)
          continue
        }
        section = name
        sections.append((name, line))
      default:
        parseEntry(text, section: section, line: line)
      }
    }
  }

  private mutating func parseEntry(_ text: String, section: String?, line: Int) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex else {
      return report(line: line, .badLine, text.quotedForMessage)
    }
    let key = String(text[..<equals]).withoutBlankEnds
    let value = String(text[text.utf8.index(after: equals)...]).withoutBlankEnds
    guard let section else { return report(line: line, .keyWithoutSection, key) }
    if value.utf8.last == UInt8(ascii: "\\") { return report(line: line, .continuedLine, key) }
    entries.append(Entry(section: section, key: key, value: value, line: line))
  }

  private mutating func report(line: Int, _ sentence: Sentence, _ values: String...) {
    problems.append(ConfigurationProblem(file: path, line: line, sentence, values))
  }

  private enum Content {
    case missing
    case refused(ConfigurationProblem)
    case bytes([UInt8])
  }

  private static func read(_ path: String) -> Content {
    func refused(_ sentence: Sentence, _ values: String...) -> Content {
      .refused(ConfigurationProblem(file: path, line: nil, sentence, values))
    }
    var status = stat()
    do throws(Errno) {
      // O_NONBLOCK: opening a FIFO would wait for its writer.
      let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
      if fstat(file.raw, &status) != 0 { throw Errno() }
      switch status.st_mode & S_IFMT {
      case S_IFREG: break
      case S_IFDIR: return refused(.folder)
      case S_IFCHR where status.st_rdev == 0x103: return .missing  // 1:3, /dev/null
      default: return refused(.notRegularFile)
      }
      let bytes = try file.readToEnd(limit: largest + 1)
      return bytes.count > largest ? refused(.tooLarge) : .bytes(bytes)
    } catch {
      guard error.code == ENOENT else { return refused(.unreadable, "\(error)") }
      return lstat(path, &status) == 0 ? refused(.danglingLink) : .missing
    }
  }
}

extension String {
  /// Without spaces, tabs and carriage returns at both ends.
  var withoutBlankEnds: String {
    let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    var rest = utf8[...]
    while let first = rest.first, blank(first) { rest.removeFirst() }
    while let last = rest.last, blank(last) { rest.removeLast() }
    return String(Substring(rest))
  }
}
