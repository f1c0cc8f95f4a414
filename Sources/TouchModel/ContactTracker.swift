public import Timeline

/// The contacts of one device, from its frames and slot tables.
///
/// A wrong "touched" blocks updates forever; a wrong "not touched" changes the screen under a finger. So contacts begin
/// and end with complete frames, and a periodic comparison with the kernel's slot table removes contacts whose end no
/// frame reported. The rules are in docs/touch.md, each with the kernel fact or the public report behind it.
public struct ContactTracker: Hashable, Sendable {
  /// The state of the whole device, for tests and for status.
  public enum Verdict: String, Equatable, Sendable {
    case touched
    /// Blocks, but only for a bounded time.
    case uncertain
    case idle
  }

  /// How long a contact that no frame ended is doubted after BTN_TOUCH 0, before it ends.
  public static let doubt: Duration = .seconds(2)
  /// Type A has no release: silence of this length ends its contacts.
  public static let silence: Duration = .milliseconds(500)
  /// A table may be read in the middle of a frame; only a second read, this much later and with no frame in between, may
  /// end a contact. Measured on a test kernel: 1,624 of 7,833 quicker pairs of reads wrongly showed no contact.
  public static let secondRead: Duration = .milliseconds(20)

  /// What happens to a contact that has not changed for too long.
  public enum StuckPolicy: String, Equatable, Sendable, CaseIterable {
    /// It is ignored until it changes.
    case ignore
    /// It still blocks, and is reported.
    case hold
  }

  /// The device that is tracked.
  public let profile: ScreenProfile
  /// A contact is stuck after its id and position have not changed for this long, neither in frames nor in the table. The
  /// longest silence with a finger down in public recordings is 7.67 s.
  public let stuckAfter: Duration
  /// What happens to stuck contacts.
  public let onStuck: StuckPolicy
  /// Slot numbers out of range so far; a correct device never sends one.
  public internal(set) var anomalies = 0
  /// Differences between frames and slot tables that were repaired so far.
  public internal(set) var drift = 0
  /// Contacts found stuck so far.
  public internal(set) var stuckTotal = 0
  /// The table changes while no event arrives, so another process may hold the device (EVIOCGRAB). False again after the
  /// next frame.
  public internal(set) var mayBeGrabbed = false

  var slots: [Slot]
  var currentSlot = 0
  /// False after a slot number out of range, up to the next valid one.
  var slotIsValid = true
  /// The last known BTN_TOUCH; nil if the device has none, or it is not known yet.
  var touchDown: Bool?
  /// BTN_TOUCH according to frames alone, which a table read in the middle of a frame does not change.
  var frameButton: Bool?
  /// BTN_TOUCH was down at some time: the device is not one of those that have it and never press it.
  var hasPressed = false
  /// The contact that BTN_TOUCH alone shows.
  var slotless = Slot()
  /// When a table alone showed `slotless`, and no second read has confirmed it yet.
  var slotlessUnconfirmedSince: Instant?
  var lost = false
  /// Type A: when its silence ends its contacts.
  var silenceEnds: Instant?
  /// A frame arrived since the table was last read, which explains changed positions.
  var heardSinceRead = false
  /// Since when the table has had BTN_TOUCH up with contacts on the glass, and no frame has arrived.
  var buttonUpSince: Instant?
  /// Since when the table has had another current slot, and no frame has arrived.
  var slotOffSince: Instant?
  /// When a table was read with positions that no frame had reported, and no frame has arrived.
  var movedUnheardAt: Instant?
  /// When a table was taken over, possibly in the middle of a frame: it is compared once more.
  var adoptedAt: Instant?
  var changes: [ContactChange] = []
  /// Ends that may be gaps in a touch.
  var lifts = LiftFilter()

  public init(profile: ScreenProfile, stuckAfter: Duration = .seconds(600), onStuck: StuckPolicy = .ignore) {
    self.profile = profile
    self.stuckAfter = stuckAfter
    self.onStuck = onStuck
    switch profile.touchProtocol {
    case .typeB(slots: let count): slots = Array(repeating: Slot(), count: count)
    case .singleTouch: slots = [Slot()]
    case .typeA: slots = []
    }
  }

  /// The current contacts by slot, doubtful ones included; then those whose end does not count yet.
  public var contacts: [Contact] {
    var contacts = slots.indices.filter { slots[$0].presence.isContact }.map { contact($0, slots[$0].id) }
    if slotless.presence.isContact { contacts.append(.slotless) }
    return contacts + lifts.held
  }

  /// Those of `contacts` that end by themselves unless the device sends new data of them.
  public var doubtfulContacts: [Contact] {
    slots.indices.filter { slots[$0].presence.isDoubtful }.map { contact($0, slots[$0].id) }
  }

  /// The number of stuck contacts, ignored or blocking.
  public var stuckCount: Int { slots.count { $0.presence.isStuck } + (slotless.presence.isStuck ? 1 : 0) }

  /// According to frames, nothing is on the glass or near it.
  public var isAtRest: Bool {
    !lost && slotless.presence == .absent && slots.allSatisfy { $0.presence == .absent }
  }

  /// According to frames, something touches, hovers or is a palm. Whoever saw it begin must see its end.
  public var isSomethingNear: Bool {
    lost || slotless.presence == .touching || !lifts.held.isEmpty
      || slots.contains { slot in
        switch slot.presence {
        case .touching, .hovering, .palm, .doubtful, .unplaced: true
        case .absent, .marked, .ignored, .stuck: false
        }
      }
  }

  /// A rule has decided about a contact, and new data of it undoes that: positions must not be masked.
  public var wantsPositions: Bool {
    slots.contains { slot in
      switch slot.presence {
      case .doubtful, .marked, .stuck, .ignored: true
      case .absent, .touching, .hovering, .palm, .unplaced: false
      }
    }
  }

  /// The number of contacts that hover.
  public var hoveringCount: Int { slots.count { $0.presence == .hovering } }

  /// The state of the whole device.
  public var verdict: Verdict {
    if lost { return .uncertain }
    if isSlotlessSure || !lifts.held.isEmpty { return .touched }
    if slots.contains(where: { $0.presence == .touching || $0.presence == .stuck(held: true) }) { return .touched }
    let mayBeTouched = isSlotTouched || slots.contains { $0.presence == .unplaced }
    return slotless.presence.isContact || mayBeTouched ? .uncertain : .idle
  }

  /// When to call `timePassed`; nil: nothing ends by time.
  public var nextDeadline: Instant? {
    var earliest = [silenceEnds, lifts.nextDeadline].compactMap(\.self).min()
    for slot in slots {
      if case .doubtful(let until) = slot.presence { earliest = min(earliest ?? until, until) }
    }
    return earliest
  }

  // MARK: Inputs

  /// A grab was refused with EBUSY: another process holds the device, and only the slot table shows touches.
  public mutating func noteForeignGrab() { mayBeGrabbed = true }

  /// Applies a frame or a loss. After `resync`, `adopt` must follow.
  public mutating func handle(_ output: FrameAssembler.Output) -> [ContactChange] {
    switch output {
    case .frame(let frame):
      heardSinceRead = true
      mayBeGrabbed = false
      movedUnheardAt = nil
      let wasTouched = isSurelyTouched
      apply(frame)
      lifts.frameApplied(wasTouched: wasTouched, isTouched: isSurelyTouched, frame)
    case .lost(let time):
      forgetReads()
      if !lost {
        lost = true
        changes.append(.becameUncertain(.eventsLost, at: time))
      }
    case .resync:
      break
    }
    return take()
  }

  /// Ends what is due: doubtful contacts, those that silence ends, and lifts that were no gap.
  public mutating func timePassed(_ now: Instant) -> [ContactChange] {
    for index in slots.indices {
      if case .doubtful(let until) = slots[index].presence, until <= now {
        set(index, .marked, .doubtful, at: now)
      }
    }
    if let ends = silenceEnds, ends <= now {
      silenceEnds = nil
      for index in slots.indices { set(index, .absent, .silence, at: now) }
      becomeCertain(at: now)
    }
    return take() + lifts.due(now)
  }

  /// The device is gone (ENODEV, or `remove` of udev): its contacts end.
  public mutating func removed(at now: Instant) -> [ContactChange] {
    for index in slots.indices {
      set(index, .absent, .deviceGone, at: now)
      slots[index].id = -1
      slots[index].committedID = -1
    }
    setSlotless(.absent, .deviceGone, at: now)
    forgetReads()
    silenceEnds = nil
    (touchDown, frameButton) = (nil, nil)
    becomeCertain(at: now)
    defer { changes = [] }
    return lifts.flush() + changes
  }

  // MARK: Shared by the rules

  func contact(_ index: Int, _ id: Int32) -> Contact {
    switch profile.touchProtocol {
    case .typeB: Contact(slot: index, id: id)
    case .typeA, .singleTouch: Contact(slot: index, id: nil)
    }
  }

  mutating func take() -> [ContactChange] {
    defer { changes.removeAll() }
    return lifts.filter(changes, isTouched: slotless.presence.isContact || isSlotTouched)
  }

  /// A slot has a contact; an end that does not count yet is not one.
  private var isSlotTouched: Bool { slots.contains { $0.presence.isContact } }

  /// The contact without a slot is there and does not await its second read.
  private var isSlotlessSure: Bool { slotless.presence.isContact && slotlessUnconfirmedSince == nil }

  /// A contact that needs no second read is on the device.
  private var isSurelyTouched: Bool { isSlotlessSure || isSlotTouched }

  mutating func becomeCertain(at now: Instant) {
    if !lost { return }
    lost = false
    changes.append(.becameCertain(at: now))
  }

  /// Changes the presence of a slot and records the change: an end with the id of the last complete frame, a beginning with
  /// the current one. `cause` has no effect unless a contact ends.
  mutating func set(_ index: Int, _ presence: Slot.Presence, _ cause: EndCause, at time: Instant) {
    let old = slots[index].presence
    slots[index].presence = presence
    switch (old.isContact, presence.isContact) {
    case (true, false):
      changes.append(.ended(contact(index, slots[index].committedID), cause, at: time))
    case (false, true):
      slots[index].lastChange = time
      changes.append(.began(contact(index, slots[index].id), at: time))
    case (false, false):
      if old.isNear != presence.isNear { changes.append(.activity(at: time)) }
    case (true, true):
      if old.isStuck && !presence.isStuck { changes.append(.unstuck(contact(index, slots[index].id), at: time)) }
    }
  }
}

/// One slot: the kernel's raw values, and what they mean.
struct Slot: Hashable, Sendable {
  enum Presence: Hashable, Sendable {
    case absent
    case touching
    /// BTN_TOUCH went up without it. It ends at that time, unless new data of it arrives.
    case doubtful(until: Instant)
    case hovering
    /// No contact until the id changes.
    case palm
    /// Has not changed for longer than any finger, until it changes. `held`: it still blocks.
    case stuck(held: Bool)
    /// Ended by a rule while the kernel still has the id. A table read alone does not bring this id back.
    case marked
    /// It has begun, and is decided about when its position is read.
    case unplaced
    /// It began in an ignored area, and is still inside.
    case ignored

    /// On the glass.
    var isContact: Bool {
      switch self {
      case .touching, .doubtful, .stuck(held: true): true
      case .absent, .hovering, .palm, .marked, .unplaced, .ignored, .stuck(held: false): false
      }
    }

    /// BTN_TOUCH 0 makes it doubtful.
    var mayBeDoubted: Bool {
      switch self {
      case .touching, .stuck(held: true): true
      case .absent, .doubtful, .hovering, .palm, .marked, .unplaced, .ignored, .stuck(held: false): false
      }
    }

    /// A rule has set it aside, and it comes back with news of it.
    var awaitsNews: Bool { isDoubtful || self == .marked }

    var isDoubtful: Bool { if case .doubtful = self { true } else { false } }
    var isStuck: Bool { if case .stuck = self { true } else { false } }

    /// Somebody is there, but not as a contact.
    var isNear: Bool {
      switch self {
      case .hovering, .palm: true
      case .absent, .touching, .doubtful, .marked, .unplaced, .ignored, .stuck: false
      }
    }
  }

  /// ABS_MT_TRACKING_ID; -1 for any below zero, which is no contact (`input_mt_is_active` in linux/input/mt.h). 0 and 65535
  /// are valid, and the advertised range has no meaning.
  var id: Int32 = -1
  /// The id as of the last complete frame.
  var committedID: Int32 = -1
  /// ABS_MT_TOOL_TYPE; like ABS_MT_DISTANCE, it stays when the id changes: the kernel sends only changes.
  var tool: Int32 = ToolType.finger
  var distance: Int32 = 0
  var presence = Presence.absent
  /// When anything of it last changed.
  var lastChange = Instant.distantPast
  /// Its position when the table was last read, or in a later frame with positions.
  var position: KernelTable.Position?
  /// Since when the table has lacked this contact, and no frame has arrived.
  var missingSince: Instant?
  /// No frame has reported the tool of this id; the tool is that of an earlier id, and may have changed unnoticed.
  var toolIsInherited = false
  /// When the table added this contact, if no frame has reported it yet.
  var addedUnheard: Instant?
  /// When a contact ended that was not placed yet.
  var unplacedTap: Instant?
  /// BTN_TOUCH was down while this contact lived, or may have been: the contact was adopted. Only then does BTN_TOUCH 0 say
  /// anything of it.
  var wasPressed = false
  /// What the frame that is being applied changed in the slot.
  var news = News()

  struct News: Hashable, Sendable {
    var changed = false
    /// The tracking id differs from the one before.
    var newContact = false
    var sawEnd = false
    var sawTool = false
  }

  /// Discards first reads of it.
  mutating func forgetReads() {
    missingSince = nil
    addedUnheard = nil
  }

  /// What a contact with these raw values is, unless a rule decided otherwise.
  var standing: Presence { Self.standing(id: id, tool: tool, distance: distance) }

  static func standing(id: Int32, tool: Int32, distance: Int32) -> Presence {
    if id < 0 { return .absent }
    if tool == ToolType.palm { return .palm }
    return distance > 0 ? .hovering : .touching
  }
}
