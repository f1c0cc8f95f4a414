public import Timeline

/// A finger, or the tip of a stylus, on the glass.
public struct Contact: Hashable, Sendable {
  /// The kernel's slot; for type A, the position in the frame; for single touch, 0; for `slotless`, -1.
  public let slot: Int
  /// The kernel's tracking id; nil if the device has none.
  public let id: Int32?

  public init(slot: Int, id: Int32?) {
    self.slot = slot
    self.id = id
  }

  /// The contact of a device with slots or groups that only BTN_TOUCH shows.
  public static let slotless = Contact(slot: -1, id: nil)
}

/// What an input changed on a device. Changes are in order: a contact that was replaced ends before the new one begins.
public enum ContactChange: Hashable, Sendable {
  case began(Contact, at: Instant)
  case ended(Contact, EndCause, at: Instant)
  /// Somebody was there although no contact followed: a tap within one frame, or a hovering or palm contact that began or
  /// ended. Restarts the quiet period. It is all that a keyboard or a proximity sensor would need.
  case activity(at: Instant)
  /// The contact has not changed for longer than any finger. It still blocks (`OnStuck=hold`), and is reported.
  case stuck(Contact, at: Instant)
  /// The contact has changed, so it is a finger after all.
  case unstuck(Contact, at: Instant)
  /// The contact set cannot be trusted for a bounded time.
  case becameUncertain(Uncertainty, at: Instant)
  case becameCertain(at: Instant)
}

/// Why a contact ended.
public enum EndCause: String, Equatable, Sendable {
  /// The device reported it.
  case lifted
  /// It turned into a palm, or was lifted into hovering.
  case cancelled
  /// Another contact took its slot without an end in between.
  case replaced
  /// The kernel released the keys (suspend).
  case keysReleased
  /// BTN_TOUCH 0, and no new data of it for two seconds.
  case doubtful
  /// Two reads of the slot table did not have it.
  case tableDisagreed
  /// Events were lost, and the slot table after the loss does not have it.
  case endedDuringLoss
  /// Type A: the device sent nothing for half a second.
  case silence
  /// It has not changed for longer than any finger (`OnStuck=ignore`). It counts again when it changes.
  case stuck
  /// The device is gone.
  case deviceGone
}

/// Why the contacts of a device are not known.
public enum Uncertainty: String, Equatable, Sendable {
  /// SYN_DROPPED, and the slot table has not been read yet.
  case eventsLost
  /// Type A without BTN_TOUCH, just opened: the kernel has no state that shows whether a finger is there.
  case unheard
}
