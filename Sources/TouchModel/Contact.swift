public import Timeline

/// A finger (or pen) on the glass.
public struct Contact: Hashable, Sendable {
  /// The kernel's slot; the place in the group for type A; 0 for single touch.
  public let slot: Int
  /// The kernel's tracking id; nil where the device has none.
  public let id: Int32?

  public init(slot: Int, id: Int32?) {
    self.slot = slot
    self.id = id
  }
}

/// What the tracker says of a device after an input. In order; a contact that was replaced ends before the new one
/// begins.
public enum ContactChange: Hashable, Sendable {
  case began(Contact, at: Instant)
  case ended(Contact, EndCause, at: Instant)
  /// Somebody was there although no contact came of it: a tap within one frame, a hovering or palm contact that began
  /// or ended. Restarts the quiet period.
  case activity(at: Instant)
  /// It has not changed for so long that it is no finger; it goes on blocking (`OnStuck=hold`), but is named.
  case stuck(Contact, at: Instant)
  /// It has changed: a finger after all.
  case unstuck(Contact, at: Instant)
  /// The contact set cannot be trusted for a bounded time.
  case becameUncertain(Uncertainty, at: Instant)
  case becameCertain(at: Instant)
}

/// Why a contact ended.
public enum EndCause: String, Equatable, Sendable {
  /// The device said so.
  case lifted
  /// It turned into a palm or went up to hover.
  case cancelled
  /// Another contact took its slot without an end between them.
  case replaced
  /// The kernel released the keys (suspend).
  case keysReleased
  /// BTN_TOUCH 0 and nothing more of it for two seconds.
  case doubtful
  /// The kernel's table does not have it, twice.
  case tableDisagreed
  /// Lost events, and the table after them does not have it.
  case endedDuringLoss
  /// Type A: nothing was heard for half a second.
  case silence
  /// It has not changed for so long that it is no finger (`OnStuck=ignore`); it counts again once it does.
  case stuck
  /// The device is gone.
  case deviceGone
}

public enum Uncertainty: String, Equatable, Sendable {
  /// SYN_DROPPED, and the table is not read yet.
  case eventsLost
  /// Type A without BTN_TOUCH, just opened: the kernel holds nothing that would tell whether a finger is there.
  case unheard
}
