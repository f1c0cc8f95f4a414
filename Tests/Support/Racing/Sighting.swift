public import Timeline

/// What a reader of a touch device saw at one instant.
public struct Sighting: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// A tracking id in a slot.
    case begin(slot: Int32, id: Int32)
    /// Tracking id -1 in a slot.
    case end(slot: Int32)
    /// A key or button by its code, BTN_TOUCH too.
    case press(UInt16)
    case release(UInt16)
    /// SYN_DROPPED: the reader was too slow, and what it saw cannot be judged.
    case loss
  }

  public var time: Instant
  public var kind: Kind

  public init(_ time: Instant, _ kind: Kind) {
    self.time = time
    self.kind = kind
  }
}

// MARK: As a line of text

extension Sighting: CustomStringConvertible {
  /// `NANOSECONDS begin SLOT ID`, `end SLOT`, `press CODE`, `release CODE` or `loss`.
  public var description: String {
    let what =
      switch kind {
      case .begin(let slot, let id): "begin \(slot) \(id)"
      case .end(let slot): "end \(slot)"
      case .press(let code): "press \(code)"
      case .release(let code): "release \(code)"
      case .loss: "loss"
      }
    return "\(time.nanoseconds) \(what)"
  }

  /// Nil: the line is none of these.
  public init?(line: some StringProtocol) {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst(2).compactMap { Int32($0) }
    guard words.count >= 2, let nanoseconds = Int64(words[0]), numbers.count == words.count - 2 else { return nil }
    time = Instant(nanoseconds: nanoseconds)
    switch (words[1], numbers.count) {
    case ("begin", 2): kind = .begin(slot: numbers[0], id: numbers[1])
    case ("end", 1): kind = .end(slot: numbers[0])
    case ("press", 1): kind = .press(UInt16(truncatingIfNeeded: numbers[0]))
    case ("release", 1): kind = .release(UInt16(truncatingIfNeeded: numbers[0]))
    case ("loss", 0): kind = .loss
    default: return nil
    }
  }
}
