/// The steady clock: what time spans such as `--deadline 8h` are counted on.
///
/// Within a boot it is the time since the boot (CLOCK_BOOTTIME), whatever becomes of the time of day. Over boots it goes on
/// by the difference of the time of day, if that was known to be right before and is now; else only by the time that the machine was on. So
/// no step of the time of day alone makes a span due.
public struct SteadyClock: Equatable, Sendable {
  /// What a later run of the service needs.
  public struct Record: Equatable, Sendable {
    /// The boot id of the machine.
    public let boot: String
    /// The time since that boot.
    public let sinceBoot: Duration
    /// What the steady clock said then.
    public let steady: SteadyTime
    /// The last moment at which the time of day was known to be right; nil: there was none.
    public let known: Known?

    public init(boot: String, sinceBoot: Duration, steady: SteadyTime, known: Known?) {
      self.boot = boot
      self.sinceBoot = sinceBoot
      self.steady = steady
      self.known = known
    }
  }

  /// A moment by both clocks.
  public struct Known: Equatable, Sendable {
    public let boot: String
    public let wall: WallTime
    public let steady: SteadyTime

    public init(boot: String, wall: WallTime, steady: SteadyTime) {
      self.boot = boot
      self.wall = wall
      self.steady = steady
    }
  }

  private let boot: String
  /// What the steady clock said at the boot.
  private var base: SteadyTime
  private var known: Known?

  /// - Parameters:
  ///   - record: of a former run; nil: there was none, and the steady clock begins with `wall`. (Versions before it stored spans as times
  ///     of day: those mean the same on it.)
  ///   - wall: the time of day, right or not.
  public init(_ record: Record?, boot: String, sinceBoot: Duration, wall: WallTime) {
    self.boot = boot
    known = record?.known
    guard let record else {
      base = SteadyTime(milliseconds: wall.millisecondsSinceEpoch) + (.zero - sinceBoot)
      return
    }
    base = record.boot == boot ? record.steady + (.zero - record.sinceBoot) : record.steady
  }

  /// What it says now.
  ///
  /// - Parameters:
  ///   - sinceBoot: the time since the boot, also of sleep.
  ///   - isSet: whether `wall` is known to be right.
  public mutating func read(sinceBoot: Duration, wall: WallTime, isSet: Bool) -> SteadyTime {
    var steady = base + sinceBoot
    guard isSet else { return steady }
    if let known, known.boot != boot, known.steady + (wall - known.wall) > steady {
      steady = known.steady + (wall - known.wall)
      base = steady + (.zero - sinceBoot)
    }
    known = Known(boot: boot, wall: wall, steady: steady)
    return steady
  }

  /// To be stored: with what it said last.
  public func record(sinceBoot: Duration) -> Record {
    Record(boot: boot, sinceBoot: sinceBoot, steady: base + sinceBoot, known: known)
  }
}
