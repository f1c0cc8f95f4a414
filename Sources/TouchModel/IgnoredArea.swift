/// A part of a screen in which contacts do not count (`IgnoreArea=`), in the device's units: where a damaged panel reports
/// touches that nobody makes.
public struct IgnoredArea: Hashable, Sendable {
  public var x: ClosedRange<Int32>
  public var y: ClosedRange<Int32>

  public init(x: ClosedRange<Int32>, y: ClosedRange<Int32>) {
    self.x = x
    self.y = y
  }

  /// Whether a position is inside; the borders are.
  public func contains(_ position: KernelTable.Position) -> Bool { x.contains(position.x) && y.contains(position.y) }
}
