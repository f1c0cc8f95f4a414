/// What `libinput debug-events` printed of the touches on one device.
public struct LibinputLog: Equatable, Sendable {
  /// Touches that libinput saw begin.
  public private(set) var downs = 0
  /// Lifted or cancelled.
  public private(set) var ups = 0
  /// Begun in an occupied seat slot, or ended in an empty one: libinput should prevent both.
  public private(set) var contradictions = 0
  /// Touches that were never lifted.
  public var left: Int { touching.count }

  private var touching: Set<Substring> = []

  /// `device` is the name of the node without its folder: `event3`.
  public init(_ text: String, device: String) {
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == "\t" }
      // "-event3  TOUCH_DOWN  +1.234s  0 (0) 40.00/50.00 (…)"
      guard words.count >= 4, words[0] == device || words[0] == "-\(device)" else { continue }
      switch words[1] {
      case "TOUCH_DOWN":
        downs += 1
        if !touching.insert(words[3]).inserted { contradictions += 1 }
      case "TOUCH_UP", "TOUCH_CANCEL":
        ups += 1
        if touching.remove(words[3]) == nil { contradictions += 1 }
      default:
        break
      }
    }
  }
}
