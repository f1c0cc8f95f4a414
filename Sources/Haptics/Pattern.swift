/// The pulses of one kind, one after the other.
public struct Pattern: Equatable, Sendable {
  public struct Pulse: Equatable, Sendable {
    /// In milliseconds from the beginning of the pattern.
    public let delay: Int
    /// In milliseconds; never 0, which the kernel plays for ever.
    public let length: Int
    /// More than 0, at most 1.
    public let strength: Double
  }

  /// In order of time; never empty.
  public let pulses: [Pulse]

  /// From the first pulse's beginning to the last one's end, in milliseconds.
  public var length: Int { pulses.last.map { $0.delay + $0.length } ?? 0 }

  /// Length of a pulse, or of a gap between two, in milliseconds. The kernel counts in jiffies, 10 ms on some machines;
  /// a pulse longer than 500 ms is not felt as a tap.
  public static let steps = 10...500
  /// Longest pattern, in milliseconds.
  public static let longest = 1000
  /// One more than the longest built-in pattern has.
  public static let mostPulses = 4

  /// Why a text is not a pattern.
  public struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// `30@0.5 g60 40@1.0`: pulses of milliseconds at a strength, `g` and milliseconds between them.
  public init(_ text: String) throws(Malformed) {
    var pulses: [Pulse] = []
    var start = 0
    var mayPulse = true
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
      if mayPulse {
        let pulse = try Self.pulse(word, at: start)
        pulses.append(pulse)
        start += pulse.length
      } else {
        guard word.first == "g" else { throw Malformed(description: "a gap such as g60 belongs before '\(word)'") }
        start += try Self.milliseconds(word.dropFirst(), "the gap '\(word)'")
      }
      mayPulse.toggle()
    }
    if pulses.isEmpty { throw Malformed(description: "is empty; write pulses such as 30@0.5 g60 40@1.0") }
    if mayPulse { throw Malformed(description: "ends in a gap; a pulse must follow it") }
    guard pulses.count <= Self.mostPulses else {
      throw Malformed(description: "has \(pulses.count) pulses; at most \(Self.mostPulses)")
    }
    guard start <= Self.longest else {
      throw Malformed(description: "takes \(start) ms in all; at most \(Self.longest)")
    }
    self.pulses = pulses
  }

  private static func pulse(_ word: Substring, at start: Int) throws(Malformed) -> Pulse {
    let parts = word.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw Malformed(description: "'\(word)' is not a pulse; write MILLISECONDS@STRENGTH such as 30@0.5")
    }
    let length = try milliseconds(parts[0], "the pulse '\(word)'")
    guard let strength = Double(parts[1]), strength > 0, strength <= 1 else {
      throw Malformed(description: "the strength of '\(word)' must be more than 0 and at most 1")
    }
    return Pulse(delay: start, length: length, strength: strength)
  }

  private static func milliseconds(_ text: Substring, _ what: String) throws(Malformed) -> Int {
    guard let number = Int(text), steps.contains(number) else {
      throw Malformed(description: "\(what) must have \(steps.lowerBound) to \(steps.upperBound) ms")
    }
    return number
  }

  private init(built pulses: [(length: Int, strength: Double)], gap: Int) {
    self.pulses = pulses.enumerated().map { index, pulse in
      Pulse(
        delay: pulses[..<index].map { $0.length + gap }.reduce(0, +), length: pulse.length, strength: pulse.strength)
    }
  }

  static func built(_ pulses: (length: Int, strength: Double)..., gap: Int = 0) -> Pattern {
    Pattern(built: pulses, gap: gap)
  }
}
