import Timeline

/// When the kernel sends positions.
///
/// They are let through as soon as they are wanted, and masked again only after nothing has wanted them for `linger`.
/// Each change of the mask costs a flush of the queue and two reads of the slot table, which a device whose BTN_TOUCH
/// goes up and down in its frames would otherwise cause in each frame.
struct PositionMask: Hashable, Sendable {
  static let linger: Duration = .seconds(1)

  private var isWanted = false
  /// When positions are masked; nil: they are masked, or still wanted.
  private(set) var due: Instant?

  /// - Returns: whether positions are let through from now on.
  mutating func letsThrough(wanted: Bool, at now: Instant) -> Bool {
    if wanted {
      (isWanted, due) = (true, nil)
      return true
    }
    if isWanted { (isWanted, due) = (false, now + Self.linger) }
    if let due, now < due { return true }
    due = nil
    return false
  }
}
