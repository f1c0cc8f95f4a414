import Glibc
import Testing

@testable import ServiceConfiguration

@Suite("Patterns of parameters")
struct PatternTests {
  /// The C library, for patterns that both know.
  private func reference(_ value: String, _ pattern: String) throws -> Bool {
    var compiled = regex_t()
    try #require(regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0, "\(pattern)")
    defer { regfree(&compiled) }
    return regexec(&compiled, value, 0, nil, 0) == 0
  }

  @Test(
    "they match what the C library's match",
    arguments: [
      "abc", "^abc$", "a|b", "^(a|b)$", "a*", "^a*$", "^a+b?$", "^[a-c]{2}$", "^[a-c]{2,}$", "^[a-c]{1,2}$",
      "^(ab){2,3}$",
      "^[^a]$", "^[]a]+$", "^[^]a]+$", "^[a-]+$", "^[]-a]+$", "^.$", "^..$", "^.*$", "a.c", "^[[:alpha:]]+$",
      "^[[:digit:]_]+$",
      "^[[:punct:]]+$", "^[[:space:]]*$", "^[^[:space:]]+$", "^[[=a=]]$", "^[[.-.]]$", "^\\.$", "^a\\+$", "^\\w+$",
      "^\\W$",
      "^\\s$", "^\\S+$", "^$", "$", "^", "()", "^()$", "a||b", "(^a|b$)", "^(a(b(c|d))?)*$", "x^", "^(a|ab)(c|bcd)$",
      "^https://([a-z0-9-]+\\.)*example\\.org(/[^[:space:]]*)?$", "^\\\\$", "^[\\]+$", "^a{0}b$", "^(a|b){0,2}c$",
      "^\\d$",
      "^\u{e4}.*$", "^[^/]+$",
    ])
  func same(pattern: String) throws {
    #expect(PosixPattern.problem(in: pattern) == nil)
    let values = [
      "", "a", "b", "c", "d", "ab", "abc", "aab", "aabb", "abab", "ababab", "abcd", "ac", "abcbcd", "]", "-", "]-", "^",
      "a]", ".",
      "a+", "aaa", "x", "xa", "a\n", "\n", " ", "a b", "\t", "_", "9", "09_", "!", "/", "\\", "d", "A", "Z", "\u{e4}",
      "\u{e4}x",
      "https://example.org", "https://www.example.org/menu", "https://evil.org/example.org", "https://example.org/a b",
    ]
    for value in values {
      #expect(PosixPattern.matches(value, pattern) == (try reference(value, pattern)), "\(value)")
    }
  }

  @Test("random patterns and values: the same as the C library's")
  func random() throws {
    var state: UInt64 = 1
    func roll(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
    func atom(_ depth: Int) -> String {
      switch roll(depth > 2 ? 4 : 6) {
      case 0, 1: ["a", "b", "c"][roll(3)]
      case 2: [".", "[ab]", "[^a]", "[a-b]"][roll(4)]
      case 3: ["a", "b"][roll(2)]
      default: "(\(expression(depth + 1)))"
      }
    }
    func expression(_ depth: Int) -> String {
      (0...roll(2)).map { _ in
        (0...roll(3)).map { _ in atom(depth) + ["", "", "", "*", "+", "?", "{2}", "{1,2}"][roll(8)] }.joined()
      }.joined(separator: "|")
    }
    var compared = 0
    for _ in 0..<1500 {
      let pattern = ["", "^"][roll(2)] + expression(0) + ["", "$"][roll(2)]
      if PosixPattern.problem(in: pattern) != nil { continue }
      for _ in 0..<8 {
        let value = (0..<roll(8)).map { _ in ["a", "b", "c"][roll(3)] }.joined()
        #expect(PosixPattern.matches(value, pattern) == (try reference(value, pattern)), "'\(pattern)' '\(value)'")
        compared += 1
      }
    }
    #expect(compared > 5000)
  }

  @Test(
    "back-references, repetitions of repetitions and what is too large are refused, with the reason",
    arguments: [
      ("(a)\\1", "back-references"), ("(a*)*", "cannot be repeated"), ("(a+)+$", "cannot be repeated"),
      ("((a{2}))*", "cannot be repeated"), ("a**", "cannot be repeated"), ("a{2}{3}", "cannot be repeated"),
      ("a{256}", "at most 255"), ("a{3,2}", "ends before it begins"), ("((a{1,99}b){1,99}c){1,99}", "too large"),
      ("a{", "{N}"), ("a{x}", "{N}"), ("*a", "nothing before"), ("a|*b", "nothing before"), ("(a", "unmatched ("),
      ("a)", "unmatched )"), ("[a", "unmatched ["), ("[[:foo:]]", "unknown class"), ("[b-a]", "ends before it begins"),
      ("a\\", "trailing backslash"), ("\\ba", "not supported"), ("\\<a", "not supported"), ("^*", "cannot be repeated"),
      (String(repeating: "(", count: 51) + String(repeating: ")", count: 51), "more than 50 groups"),
    ])
  func refused(pattern: String, words: String) throws {
    let problem = try #require(PosixPattern.problem(in: pattern))
    #expect(problem.contains(words), "\(problem)")
    #expect(!PosixPattern.matches("a", pattern))
  }

  @Test("a refused pattern disables its handler when the configuration is read")
  func configuration() throws {
    let root = try Root()
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nParam=x ^(a)\\1$\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 3, ["x:", "back-references such as \\1 are not supported"])])
  }

  /// The C library takes seconds for the first and minutes for the second, with 16 KiB. Each step counts some nanoseconds.
  @Test(
    "a match takes at most 1,000 steps per byte of the value, whatever the pattern",
    arguments: [
      "^(a|b)*a(a|b){50}c$", "(a|b)*a[ab]{255}c", "^(a|aa)*c$", "[ab]{200}a[ab]{200}c",
      "((((a|b)*(a|b)*)*(a|b)*)*a{3})*c", "([ab]{250}a){3}c", "(a|b|ab|ba|[ab])*c",
    ])
  func steps(pattern: String) throws {
    var state: UInt32 = 1
    let value = (0..<2000).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return state >> 16 & 1 == 0 ? UInt8(ascii: "a") : UInt8(ascii: "b")
    }
    let (isMatch, visits) = try PatternProgram(pattern).read(value)
    #expect(!isMatch && visits <= 1000 * (value.count + 1))
  }
}
