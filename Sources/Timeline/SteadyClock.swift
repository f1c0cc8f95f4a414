/// The steady clock: what time spans such as `--deadline 8h` are counted on.
///
/// It counts the time that the machine is on (CLOCK_BOOTTIME), over restarts of the service and over boots, whatever
/// becomes of the time of day. For how long the machine was off is known only if the time of day was verified before and
/// is now. Spans that began before are shortened by that once (`verify`), and no others: so no step of the time of day
/// alone makes a span due.
public struct SteadyClock: Equatable, Sendable {
  /// What a later run of the service needs.
  public struct Record: Equatable, Sendable {
    /// The boot id of the machine.
    public let boot: String
    /// The time since that boot.
    public let sinceBoot: Duration
    /// What the steady clock said then.
    public let steady: SteadyTime
    /// The last moment at which the time of day was verified; nil: there was none.
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

  /// For how long the machine was off, as is known from now on.
  public struct TimeOff: Equatable, Sendable {
    public let length: Duration
    /// Spans that began up to then go on by it; of later ones it is not known how much of it they were there.
    public let before: SteadyTime

    public init(_ length: Duration, before: SteadyTime) {
      self.length = length
      self.before = before
    }
  }

  /// By more than this within a boot somebody has set the time of day.
  static let tolerance: Duration = .seconds(5)

  private let boot: String
  /// What the steady clock said at the boot.
  private let base: SteadyTime
  private var known: Known?

  /// - Parameters:
  ///   - record: of a former run; nil: there was none, and the steady clock begins with `wall`. (Versions before it
  ///     stored spans as times of day: those mean the same on it.)
  ///   - wall: the time of day, right or not.
  public init(_ record: Record?, boot: String, sinceBoot: Duration, wall: WallTime) {
    self.boot = boot
    known = record?.known
    guard let record else {
      base = SteadyTime(milliseconds: wall.millisecondsSinceEpoch) + (.zero - sinceBoot)
      return
    }
    // One millisecond later: what begins in this boot began after what was known in the former one.
    base =
      record.boot == boot ? record.steady + (.zero - record.sinceBoot) : record.steady + .milliseconds(1)
  }

  /// What it says when so much time has passed since the boot, the time of sleep included.
  public func read(sinceBoot: Duration) -> SteadyTime { base + sinceBoot }

  /// The time of day is verified. To be called at each reading while it is.
  ///
  /// - Returns: for how long the machine was off, the first time that this is known; else nil.
  public mutating func verify(_ wall: WallTime, sinceBoot: Duration) -> TimeOff? {
    let now = Known(boot: boot, wall: wall, steady: read(sinceBoot: sinceBoot))
    guard let former = known else {
      known = now
      return nil
    }
    let difference = (wall - former.wall) - (now.steady - former.steady)
    if former.boot == boot {
      // What was set since is worth less than what was verified before.
      if difference <= Self.tolerance && difference >= .zero - Self.tolerance { known = now }
      return nil
    }
    known = now
    return difference > .zero ? TimeOff(difference, before: former.steady) : nil
  }

  /// To be stored: with what it said last.
  public func record(sinceBoot: Duration) -> Record {
    Record(boot: boot, sinceBoot: sinceBoot, steady: base + sinceBoot, known: known)
  }
}
