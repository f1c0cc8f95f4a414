/// A part of a screen in percent of its axes: `IgnoreArea=0-5 0-100`, horizontal and then vertical.
public struct ScreenArea: Hashable, Sendable {
  /// From 0 to 100.
  public let x: ClosedRange<Int>
  public let y: ClosedRange<Int>

  /// Nil unless the text is two ranges `FROM-TO` of whole percents from 0 to 100.
  public init?(_ text: String) {
    let ranges = text.split(separator: " ").map { Self.range($0) }
    guard ranges.count == 2, let x = ranges[0], let y = ranges[1] else { return nil }
    self.x = x
    self.y = y
  }

  private static func range(_ text: Substring) -> ClosedRange<Int>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.allSatisfy(\.isASCII) && $0.first?.isNumber == true }),
      let from = Int(ends[0]), let to = Int(ends[1]), from < to, to <= 100
    else { return nil }
    return from...to
  }

  /// The same part of axes with these ranges, borders included.
  public func scaled(x horizontal: ClosedRange<Int32>, y vertical: ClosedRange<Int32>) -> (
    x: ClosedRange<Int32>, y: ClosedRange<Int32>
  ) {
    (Self.scale(x, horizontal), Self.scale(y, vertical))
  }

  private static func scale(_ percent: ClosedRange<Int>, _ axis: ClosedRange<Int32>) -> ClosedRange<Int32> {
    let (low, high) = (Int64(axis.lowerBound), Int64(axis.upperBound))
    func at(_ percent: Int) -> Int32 { Int32(low + (high - low) * Int64(percent) / 100) }
    return at(percent.lowerBound)...at(percent.upperBound)
  }
}
