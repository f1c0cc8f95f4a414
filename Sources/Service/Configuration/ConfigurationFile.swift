import Glibc

/// One file in systemd's form (systemd.syntax(7)), as it stands there: nothing is interpreted, nothing dropped but
/// comments. Lines are `[Section]`, `Key=value`, empty, or comments (`#` or `;` first). White space around lines, keys
/// and values does not count, CRLF neither. A `#` or `;` later in a line, quotes and backslashes belong to the value.
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
  }

  /// In the order of the file.
  private(set) var entries: [Entry] = []
  /// Every section header, in the order of the file.
  private(set) var sections: [(name: String, line: Int)] = []
  private(set) var problems: [ConfigurationProblem] = []
  let path: String

  /// Larger is a mistake, not a configuration.
  private static let largest = 1024 * 1024

  /// Reads a file. Nil: there is none, or it is a link to /dev/null, which is how systemd's files are masked.
  init?(path: String) {
    self.path = path
    switch Self.read(path) {
    case .missing: return nil
    case .refused(let reason): report(reason, line: nil)
    case .bytes(let bytes): parse(bytes)
    }
  }

  private mutating func parse(_ bytes: [UInt8]) {
    if let nul = bytes.firstIndex(of: 0) {
      let line = 1 + bytes[..<nul].count { $0 == UInt8(ascii: "\n") }
      return report("is not a text file: it contains a NUL byte", line: line)
    }
    var section: String?
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]  // an editor's byte order mark
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (line, content) in zip(1..., lines) {
      guard let text = String(validating: content, as: UTF8.self)?.withoutBlankEnds else {
        report("is not UTF-8 text", line: line)
        continue
      }
      switch text.utf8.first {
      case nil, UInt8(ascii: "#"), UInt8(ascii: ";"):
        continue
      case UInt8(ascii: "["):
        let name = String(text.unicodeScalars.dropFirst().dropLast())
        guard text.utf8.last == UInt8(ascii: "]"), !name.isEmpty, !name.contains(where: { "[]".contains($0) }) else {
          report(
            "\(text.quotedForMessage) is not a section header; write [NAME] and nothing else in the line", line: line)
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
      return report("\(text.quotedForMessage) is neither KEY=VALUE, [SECTION] nor a comment", line: line)
    }
    let key = String(text[..<equals]).withoutBlankEnds
    let value = String(text[text.utf8.index(after: equals)...]).withoutBlankEnds
    guard let section else {
      return report("\(key)= stands before the first section; write [SECTION] above it", line: line)
    }
    if value.utf8.last == UInt8(ascii: "\\") {
      return report("\(key)= ends in a backslash; a value must stand in one line, however long", line: line)
    }
    entries.append(Entry(section: section, key: key, value: value, line: line))
  }

  private mutating func report(_ message: String, line: Int?) {
    problems.append(ConfigurationProblem(file: path, line: line, message: message))
  }

  private enum Content {
    case missing
    case refused(String)
    case bytes([UInt8])
  }

  private static func read(_ path: String) -> Content {
    // O_NONBLOCK: opening a FIFO would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    guard descriptor >= 0 else {
      let reason = errno
      guard reason == ENOENT else { return .refused("cannot be read: \(String(cString: strerror(reason)))") }
      return lstat(path, &status) == 0 ? .refused("is a link to a file that is not there") : .missing
    }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0 else {
      return .refused("cannot be read: \(String(cString: strerror(errno)))")
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return .refused("is a folder where a file is expected")
    case S_IFCHR where status.st_rdev == 0x103: return .missing  // 1:3, /dev/null
    default: return .refused("is not a regular file")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return .bytes(bytes) }
      if count < 0 {
        if errno == EINTR { continue }
        return .refused("cannot be read: \(String(cString: strerror(errno)))")
      }
      bytes += buffer[..<count]
      if bytes.count > largest { return .refused("is larger than 1 MiB") }
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
