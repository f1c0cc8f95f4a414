public import Timeline

/// Frames and kernel tables of one device in, its live set of contacts out.
///
/// A wrong "touched" blocks updates for ever; a wrong "not touched" changes the screen under a finger. So a contact
/// begins and ends by complete frames, and a second pass over the kernel's table prunes what is over though no frame
/// said so. The rules stand in docs/touch.md, each with the kernel fact or the public report behind it.
public struct ContactTracker: Hashable, Sendable {
  /// What the whole device comes to, for tests and for status.
  public enum Verdict: String, Equatable, Sendable {
    case touched
    /// Shut, but only for a bounded time.
    case uncertain
    case idle
  }

  /// BTN_TOUCH 0 with a contact that no frame ended: so long it is doubted before it ends.
  public static let doubt: Duration = .seconds(2)
  /// Type A has no release: so long a silence ends its contacts.
  public static let silence: Duration = .milliseconds(500)
  /// A table read may fall in the middle of a frame; only a second read, this much later and with no frame between,
  /// may end a contact. Measured on a test kernel: 1,624 of 7,833 quicker pairs of reads said "no contact" wrongly.
  public static let secondRead: Duration = .milliseconds(20)

  /// What becomes of a contact that has not changed for too long.
  public enum StuckPolicy: String, Equatable, Sendable, CaseIterable {
    /// It is left out until it changes.
    case ignore
    /// It goes on blocking, and is named.
    case hold
  }

  public let profile: ScreenProfile
  /// A contact whose id and position have not changed for so long in the kernel's table is stuck. The longest silence
  /// with a finger down in public recordings is 7.67 s.
  public let stuckAfter: Duration
  public let onStuck: StuckPolicy
  /// Slots out of range, which a correct device never sends.
  public internal(set) var anomalies = 0
  /// Differences between the frames and the kernel's table that were repaired.
  public internal(set) var drift = 0
  /// Contacts found stuck so far.
  public internal(set) var stuckTotal = 0
  /// The table changes while no event arrives: another process holds the device (EVIOCGRAB). Until the next frame.
  public internal(set) var mayBeGrabbed = false

  var slots: [Slot]
  var currentSlot = 0
  /// False after a slot number out of range, up to the next valid one.
  var slotIsValid = true
  /// BTN_TOUCH as last heard; nil where the device has none, or it was never heard.
  var touchDown: Bool?
  var lost = false
  /// Type A: when its silence has lasted long enough.
  var silenceEnds: Instant?
  /// A frame came since the table was last read, so a position may have changed without a secret.
  var heardSinceRead = false
  /// The table says BTN_TOUCH is up, with contacts on the glass and no frame since then.
  var buttonUpSince: Instant?
  /// The table has another current slot, and no frame came since then.
  var slotOffSince: Instant?
  /// A table was taken over then, perhaps in the middle of a frame: it is compared once more.
  var adoptedAt: Instant?
  var changes: [ContactChange] = []

  public init(profile: ScreenProfile, stuckAfter: Duration = .seconds(600), onStuck: StuckPolicy = .ignore) {
    self.profile = profile
    self.stuckAfter = stuckAfter
    self.onStuck = onStuck
    switch profile.tongue {
    case .slots(let count): slots = Array(repeating: Slot(), count: count)
    case .single: slots = [Slot()]
    case .groups: slots = []
    }
  }

  /// The contacts now, doubtful ones included, by slot.
  public var contacts: [Contact] {
    slots.indices.filter { slots[$0].presence.isContact }.map { contact($0, slots[$0].id) }
  }

  /// Those of `contacts` that will end by themselves unless the device speaks of them again.
  public var doubtfulContacts: [Contact] {
    slots.indices.filter { slots[$0].presence.isDoubtful }.map { contact($0, slots[$0].id) }
  }

  /// Contacts that are left out, or held, because they are stuck.
  public var stuckCount: Int { slots.count { $0.presence.isStuck } }

  /// Nobody is on the glass or near it, by frames: what the table holds now is how it was left.
  public var isAtRest: Bool { !lost && slots.allSatisfy { $0.presence == .absent } }

  /// Something touches, hovers or is a palm, by frames: who saw it come waits for its end.
  public var isSomethingNear: Bool {
    lost
      || slots.contains { slot in
        switch slot.presence {
        case .touching, .hovering, .palm, .doubtful: true
        case .absent, .marked, .stuck: false
        }
      }
  }

  /// What a rule decided is undone by new data of the contact: positions must be heard.
  public var wantsPositions: Bool {
    slots.contains { slot in
      switch slot.presence {
      case .doubtful, .marked, .stuck: true
      case .absent, .touching, .hovering, .palm: false
      }
    }
  }

  public var hoveringCount: Int { slots.count { $0.presence == .hovering } }

  public var verdict: Verdict {
    if lost { return .uncertain }
    if slots.contains(where: { $0.presence == .touching || $0.presence == .stuck(held: true) }) { return .touched }
    return slots.contains { $0.presence.isContact } ? .uncertain : .idle
  }

  /// When `timePassed` is due next; nil: nothing ends by time.
  public var nextDeadline: Instant? {
    var earliest = silenceEnds
    for slot in slots {
      if case .doubtful(let until) = slot.presence { earliest = min(earliest ?? until, until) }
    }
    return earliest
  }

  // MARK: Inputs

  /// A grab was refused with EBUSY: another process holds the device, and the table is all there is.
  public mutating func noteForeignGrab() { mayBeGrabbed = true }

  public mutating func handle(_ output: FrameAssembler.Output) -> [ContactChange] {
    switch output {
    case .frame(let frame):
      heardSinceRead = true
      mayBeGrabbed = false
      apply(frame)
    case .lost(let time):
      forgetReads()
      if !lost {
        lost = true
        changes.append(.becameUncertain(.eventsLost, at: time))
      }
    case .resync:
      break  // The caller reads the table and calls `adopt`.
    }
    return take()
  }

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
    return take()
  }

  /// ENODEV, or udev said "remove": its contacts end as cancelled.
  public mutating func removed(at now: Instant) -> [ContactChange] {
    for index in slots.indices {
      set(index, .absent, .deviceGone, at: now)
      slots[index].id = -1
      slots[index].committedID = -1
    }
    forgetReads()
    silenceEnds = nil
    touchDown = nil
    becomeCertain(at: now)
    return take()
  }

  // MARK: Shared by the rules

  func contact(_ index: Int, _ id: Int32) -> Contact {
    switch profile.tongue {
    case .slots: Contact(slot: index, id: id)
    case .groups, .single: Contact(slot: index, id: nil)
    }
  }

  mutating func take() -> [ContactChange] {
    defer { changes.removeAll() }
    return changes
  }

  mutating func becomeCertain(at now: Instant) {
    if !lost { return }
    lost = false
    changes.append(.becameCertain(at: now))
  }

  /// Moves a slot to another presence and reports what that means: an end under the id of the last complete frame, a
  /// beginning under the present one. `cause` counts only where a contact ends.
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

  /// BTN_TOUCH is down, and no slot that counts explains it: then those that a rule ended are there after all.
  mutating func explainTouchDown(at time: Instant) {
    let isExplained = slots.contains { $0.presence == .touching || $0.presence.isNear || $0.presence.isStuck }
    guard touchDown == true, !isExplained else { return }
    for index in slots.indices {
      switch slots[index].presence {
      case .doubtful, .marked: set(index, slots[index].standing, .lifted, at: time)
      case .absent, .touching, .hovering, .palm, .stuck: break
      }
    }
  }
}

/// One slot: the kernel's raw values, and what we make of them.
struct Slot: Hashable, Sendable {
  enum Presence: Hashable, Sendable {
    case absent
    case touching
    /// BTN_TOUCH went up without it; ends then, unless new data of it comes.
    case doubtful(until: Instant)
    case hovering
    /// Cancelled, and stays so until the id changes.
    case palm
    /// Has not changed for longer than any finger; `held`: it blocks all the same. Until it changes.
    case stuck(held: Bool)
    /// Ended by a rule while the kernel still has the id: this id does not come back by a table read alone.
    case marked

    /// On the glass.
    var isContact: Bool {
      switch self {
      case .touching, .doubtful, .stuck(held: true): true
      case .absent, .hovering, .palm, .marked, .stuck(held: false): false
      }
    }

    /// BTN_TOUCH up speaks against it.
    var mayBeDoubted: Bool {
      switch self {
      case .touching, .stuck(held: true): true
      case .absent, .doubtful, .hovering, .palm, .marked, .stuck(held: false): false
      }
    }

    var isDoubtful: Bool { if case .doubtful = self { true } else { false } }
    var isStuck: Bool { if case .stuck = self { true } else { false } }

    /// Somebody is there, though not as a contact.
    var isNear: Bool {
      switch self {
      case .hovering, .palm: true
      case .absent, .touching, .doubtful, .marked, .stuck: false
      }
    }
  }

  /// ABS_MT_TRACKING_ID; any value but -1 is a contact (0 and 65535 are valid, the advertised range means nothing).
  var id: Int32 = -1
  /// The id up to the last complete frame.
  var committedID: Int32 = -1
  /// ABS_MT_TOOL_TYPE and ABS_MT_DISTANCE stay as they were when the id changes: the kernel sends only changes.
  var tool: Int32 = ToolType.finger
  var distance: Int32 = 0
  var presence = Presence.absent
  /// When its id, its position or anything else of it changed last.
  var lastChange = Instant.distantPast
  /// As the table was last read.
  var position: KernelTable.Position?
  /// The table was read without this contact then, and no frame came since.
  var missingSince: Instant?
  /// No frame told the tool of this id: it is that of an id before, and may have changed unheard.
  var toolIsInherited = false
  /// The table told of this contact then, and no frame has yet.
  var addedUnheard: Instant?
  /// What the frame that is being applied said of the slot.
  var news = News()

  struct News: Hashable, Sendable {
    var changed = false
    /// A tracking id other than the one before.
    var newContact = false
    var sawEnd = false
    var sawTool = false
  }

  /// What was read of it before proves nothing any more.
  mutating func forgetReads() {
    missingSince = nil
    addedUnheard = nil
  }

  /// What a contact with these raw values is, as long as no rule says otherwise.
  var standing: Presence { Self.standing(id: id, tool: tool, distance: distance) }

  static func standing(id: Int32, tool: Int32, distance: Int32) -> Presence {
    if id == -1 { return .absent }
    if tool == ToolType.palm { return .palm }
    return distance > 0 ? .hovering : .touching
  }
}
