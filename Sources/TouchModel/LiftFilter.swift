import Timeline

/// Tells lifts from gaps on a device that reports down and up again in every report, as pen displays do under a resting
/// finger.
///
/// Three gaps without any contact, each under 60 ms and between consecutive frames, mark the device. While it is marked, a
/// lift counts only after 100 ms without a contact. The mark ends after 10 s without such a gap. A fast tapper leaves at
/// least 70 ms between two taps.
struct LiftFilter: Hashable, Sendable {
  /// A shorter pause between two frames with contacts is a gap.
  static let longestGap: Duration = .milliseconds(60)
  static let gapsToMark = 3
  /// On a marked device, a lift counts after this time without a contact.
  static let silence: Duration = .milliseconds(100)
  /// The mark ends after this time without a gap.
  static let memory: Duration = .seconds(10)

  /// Ends that do not count yet.
  private var ends: [ContactChange] = []
  private var endsCountAt: Instant?
  /// When the last frame left the device without a contact, if it had one before.
  private var liftedAt: Instant?
  private var gaps = 0
  private var lastGap = Instant.distantPast

  /// The contacts whose end does not count yet.
  var held: [Contact] {
    ends.compactMap { if case .ended(let contact, _, at: _) = $0 { contact } else { nil } }
  }

  /// When held ends count.
  var nextDeadline: Instant? { endsCountAt }

  private func isMarked(at time: Instant) -> Bool { gaps >= Self.gapsToMark && time < lastGap + Self.memory }

  /// A complete frame was applied. `wasTouched`: before it there was a contact, also one that only a table has shown.
  mutating func frameApplied(wasTouched: Bool, isTouched: Bool, _ frame: Frame) {
    let time = frame.time
    if isTouched, let lifted = liftedAt {
      if time - lifted < Self.longestGap {
        gaps = time < lastGap + Self.memory ? min(gaps + 1, Self.gapsToMark) : 1
        lastGap = time
      } else if !isMarked(at: time) {
        gaps = 0
      }
    } else if !isTouched && !wasTouched && !isMarked(at: time) {
      gaps = 0  // A frame without a contact in between: not consecutive.
    }
    // Keys that the kernel released were not lifted by the device.
    liftedAt = wasTouched && !isTouched && frame.ending == .report ? time : nil
  }

  /// Holds back the ends of the last contacts of a marked device, and passes on everything else in its order.
  mutating func filter(_ changes: [ContactChange], isTouched: Bool) -> [ContactChange] {
    if changes.isEmpty { return [] }
    var passed: [ContactChange] = []
    for (index, change) in changes.enumerated() {
      let isLast = !changes[(index + 1)...].contains { if case .began = $0 { true } else { false } }
      if case .ended(_, let cause, at: let time) = change, !isTouched, isLast, isMarked(at: time),
        cause != .doubtful, cause != .silence  // Those had their silence.
      {
        ends.append(change)
        endsCountAt = time + Self.silence
        continue
      }
      if case .began = change { passed += flush() }
      passed.append(change)
    }
    return passed
  }

  /// The held ends, if they count by now.
  mutating func due(_ now: Instant) -> [ContactChange] {
    guard let at = endsCountAt, at <= now else { return [] }
    return flush()
  }

  /// The held ends, whether they count or not.
  mutating func flush() -> [ContactChange] {
    defer { (ends, endsCountAt) = ([], nil) }
    return ends
  }
}
