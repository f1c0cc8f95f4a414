/// A point of the steady clock, in milliseconds. Nobody sets that clock; it goes on while the machine sleeps, over restarts of the service and,
/// as far as is known, while the machine is off (`SteadyClock`).
public struct SteadyTime: Hashable, Comparable, Sendable {
  public let milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (a: SteadyTime, b: SteadyTime) -> Bool { a.milliseconds < b.milliseconds }

  public static func - (a: SteadyTime, b: SteadyTime) -> Duration { .milliseconds(a.milliseconds - b.milliseconds) }

  public static func + (a: SteadyTime, b: Duration) -> SteadyTime {
    SteadyTime(milliseconds: a.milliseconds + b.wholeMilliseconds)
  }
}
