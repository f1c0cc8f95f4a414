/// A point on the monotonic clock (CLOCK_MONOTONIC), in nanoseconds since an arbitrary origin (the boot).
///
/// Touch stamps, quiet periods and retries are measured with it: it never jumps. Arithmetic saturates, so that
/// `now + .forever` is `distantFuture` and not a trap.
public struct Instant: Hashable, Comparable, Sendable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static let distantPast = Instant(nanoseconds: .min)
  public static let distantFuture = Instant(nanoseconds: .max)

  public static func < (a: Instant, b: Instant) -> Bool {
    a.nanoseconds < b.nanoseconds
  }

  public static func + (a: Instant, b: Duration) -> Instant {
    let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.wholeNanoseconds)
    if overflow { return b < .zero ? .distantPast : .distantFuture }
    return Instant(nanoseconds: sum)
  }

  public static func - (a: Instant, b: Duration) -> Instant {
    a + (Duration.zero - b)
  }

  /// The time from `b` to `a`; negative if `b` is later.
  public static func - (a: Instant, b: Instant) -> Duration {
    let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
    if overflow { return a < b ? Duration.zero - .forever : .forever }
    return .nanoseconds(difference)
  }
}

extension Instant: CustomStringConvertible {
  /// Seconds with six decimals, as evdev tools print stamps.
  public var description: String {
    let micros = nanoseconds.magnitude / 1000
    let fraction = String(micros % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.count)
    return "\(nanoseconds < 0 ? "-" : "")\(micros / 1_000_000).\(zeros)\(fraction)s"
  }
}

extension Duration {
  /// `infinity` in the configuration: about 292 years.
  public static let forever: Duration = .nanoseconds(Int64.max)

  /// Nanoseconds, rounded towards zero; saturates at the limits of Int64.
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflow || overflow2 { return seconds < 0 ? .min : .max }
    return sum
  }

  /// Milliseconds, rounded towards zero.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
