import Timeline
import TouchModel

/// Decides from the device's side whether a verdict is wrong: from the kernel's slots and BTN_TOUCH alone, with the
/// documented exceptions and bounds (docs/touch.md). It shares no rule with the tracker.
struct Judge {
  /// When a verdict is judged.
  enum Occasion {
    /// All queued frames have been read.
    case read
    /// The table was compared just now, as in the last look.
    case rechecked
    /// The same in the middle of a frame: what has begun in the table counts, what has ended does not count yet.
    case recheckedInFrame
  }

  /// BTN_TOUCH 0 may end only a contact that it was down for, or one that the reader adopted at open or after a loss.
  private enum Pressed {
    case no
    /// The reader missed frames: it may count the contact as adopted.
    case perhaps
    case yes
  }

  private struct Slot {
    var id: Int32 = -1
    var tool: Int32 = ToolType.finger
    var distance: Int32 = 0
    /// It was a palm; the rule keeps it cancelled until its id changes.
    var wasPalm = false
    /// The kernel released the keys: a documented rule ignores it until new data of it arrives.
    var isReleased = false
    /// Since when BTN_TOUCH is 0 without new data of it: it is ignored two seconds later.
    var doubtedSince: Instant?
    /// It is in the frame that is being written.
    var isMentioned = false
    /// BTN_TOUCH was down while this contact lived.
    var pressed = Pressed.no

    var isPresent: Bool { id >= 0 }
    var isNear: Bool { id >= 0 && (wasPalm || tool == ToolType.palm || distance > 0) }
    var isFinger: Bool { id >= 0 && tool != ToolType.palm && distance <= 0 }
  }

  /// The recheck of each second while something waits, and 20 ms for the second read.
  static let pruning: Duration = .milliseconds(1020)
  /// A device that does not come to rest is tried again every 50 ms, a few times in these trials.
  static let restless: Duration = .milliseconds(200)
  /// How long an end on a bouncing device does not count.
  static let bouncing: Duration = .milliseconds(100)
  /// For stamps in whole microseconds.
  static let slack: Duration = .milliseconds(1)

  /// Frames of the reader do not have BTN_TOUCH.
  var isButtonMasked = false

  private let touchProtocol: TouchProtocol
  private var slots: [Slot]
  private var currentSlot: Int
  private var touchDown: Bool?
  /// BTN_TOUCH 0 is in the frame that is being written.
  private var releasedInFrame = false
  private var groups = 0
  private var groupsInFrame = 0
  private var groupHasData = false
  private var sawGroup = false
  private var isGroupsKnown = true

  /// When the last frame left nobody on the glass, and the gaps in a touch so far.
  private var gaps: [Instant] = []
  private var lastGap = Instant.distantPast
  private var lastFrame = Instant.distantPast
  private var wasTouched = false
  /// Before the last frame, somebody was there whom no rule ignored; and the same before the pause that lasts.
  private var wasPlain = false
  private var isGap = false
  private var liftedAt: Instant?

  // According to complete frames.
  /// Since when nobody is on the glass; nil: somebody is.
  private var emptySince: Instant?
  /// Since when BTN_TOUCH is 0 with contacts in the table without new data; nil: that is not the case.
  private var abandonedSince: Instant?
  /// The last complete group of a type A device, and when the reader lost groups.
  private var lastGroup = Instant.distantPast
  private var groupsLostAt = Instant.distantPast
  /// When what the reader missed must be repaired.
  private var repairedBy = Instant.distantPast

  init(_ profile: ScreenProfile, _ table: KernelTable, at now: Instant) {
    touchProtocol = profile.touchProtocol
    slots = table.trackingIDs.indices.map { index in
      Slot(id: table.trackingIDs[index], tool: table.toolTypes[index], distance: table.distances[index])
    }
    currentSlot = table.currentSlot
    touchDown = table.touchDown
    for index in slots.indices where slots[index].tool == ToolType.palm { slots[index].wasPalm = true }
    settle(now)
    lostFrames(at: now)
  }

  // MARK: What the device does

  mutating func saw(_ event: InputEvent) {
    switch (event.type, event.code) {
    case (EventType.key, EventCode.buttonTouch):
      if event.value == 2 { return }
      touchDown = event.value != 0
      releasedInFrame = event.value == 0
      if event.value != 0 { for index in slots.indices where slots[index].isPresent { slots[index].pressed = .yes } }
    case (EventType.abs, EventCode.slot):
      currentSlot = Int(event.value)
    case (EventType.abs, EventCode.touchMajor...EventCode.toolY):
      groupHasData = true
      if slots.indices.contains(currentSlot) { change(&slots[currentSlot], event) }
    case (EventType.syn, EventCode.synMTReport):
      sawGroup = true
      if groupHasData { groupsInFrame += 1 }
      groupHasData = false
    default:
      break
    }
  }

  private func change(_ slot: inout Slot, _ event: InputEvent) {
    slot.isMentioned = true
    switch event.code {
    case EventCode.trackingID:
      if event.value == slot.id { return }
      slot.id = event.value
      slot.pressed = touchDown == true ? .yes : .no
      slot.wasPalm = false
      slot.isReleased = false
      slot.doubtedSince = nil
    case EventCode.toolType: slot.tool = event.value
    case EventCode.distance: slot.distance = event.value
    default: break
    }
  }

  /// A SYN_REPORT was written. `reached`: the reader gets the frame, and reads it now.
  mutating func frameEnded(value: Int32, reached: Bool, stamp: Instant, at now: Instant) {
    lastFrame = now
    let isRelease = value != 0 && releasedInFrame
    if value != 0 && !isRelease { return }
    for index in slots.indices where slots[index].isMentioned {
      slots[index].isMentioned = false
      if slots[index].tool == ToolType.palm && slots[index].isPresent { slots[index].wasPalm = true }
      if reached {
        slots[index].isReleased = false
        slots[index].doubtedSince = nil
      }
      abandonedSince = nil
    }
    if isRelease { for index in slots.indices where slots[index].isPresent { slots[index].isReleased = true } }
    endGroups(reached: reached, stamp: stamp)
    releasedInFrame = false
    settle(min(now, stamp), byKernel: isRelease)
  }

  private mutating func endGroups(reached: Bool, stamp: Instant) {
    if groupHasData {
      groupsInFrame += 1
      sawGroup = true
    }
    if sawGroup || releasedInFrame {
      groups = releasedInFrame ? 0 : groupsInFrame
      lastGroup = stamp
      isGroupsKnown = reached
    }
    (groupsInFrame, groupHasData, sawGroup) = (0, false, false)
  }

  /// `byKernel`: the kernel released the keys; the device reported nothing.
  private mutating func settle(_ now: Instant, byKernel: Bool = false) {
    for index in slots.indices where slots[index].isFinger {
      if touchDown == false && slots[index].doubtedSince == nil { slots[index].doubtedSince = now }
    }
    if touchDown == false && !fingers.isEmpty {
      abandonedSince = abandonedSince ?? now
    } else {
      abandonedSince = nil
    }
    let somebody = isSomebodyThere
    countGap(somebody, byKernel: byKernel, at: now)
    emptySince = somebody ? nil : emptySince ?? now
  }

  private var fingers: [Slot] { slots.filter(\.isFinger) }

  /// BTN_TOUCH is down and no slot or group explains it, whatever that counts as.
  private var isTouchedWithoutSlot: Bool { touchDown == true && !slots.contains(where: \.isPresent) }

  private var isSomebodyThere: Bool {
    switch touchProtocol {
    case .typeB: !fingers.isEmpty || isTouchedWithoutSlot
    case .singleTouch: touchDown == true
    case .typeA: groups > 0 || touchDown == true
    }
  }

  /// A pause of less than 60 ms between two touches, with nothing reported in between.
  private mutating func countGap(_ somebody: Bool, byKernel: Bool, at now: Instant) {
    if gaps.last.map({ now - $0 >= .seconds(10) }) == true { gaps = [] }  // The mark has ended.
    let isPlain =
      fingers.contains { !$0.wasPalm && !$0.isReleased && $0.doubtedSince == nil } && !isRepairing(at: now)
    if somebody && !wasTouched, let since = liftedAt {
      if now - since >= .milliseconds(60) {
        if !isBouncing(at: now) { gaps = [] }
      } else {
        lastGap = now
        if isGap && isPlain { gaps.append(now) }
      }
    }
    if wasTouched && !somebody {
      (isGap, liftedAt) = (wasPlain && !byKernel, now)
    } else if !somebody {
      isGap = false  // Another frame in between.
      if !isBouncing(at: now) { gaps = [] }
    }
    wasTouched = somebody
    wasPlain = isPlain
  }

  /// Three gaps mark a device that reports down and up in every report, for ten seconds.
  func isBouncing(at now: Instant) -> Bool { gaps.count >= 3 && gaps.last.map { now - $0 < .seconds(10) } == true }

  /// BTN_TOUCH 0 ends all contacts in time.
  var endsWithButton: Bool { fingers.allSatisfy { $0.pressed == .yes } }

  /// Stamps went back: the reader replaces them by the time of reading, which may leave no pause between two touches.
  mutating func stampsWentBack(at now: Instant) { lastGap = now }

  /// The reader received nothing until now: a foreign grab ends.
  mutating func wasBlind(until now: Instant) {
    repairedBy = now + Self.pruning
    lostFrames(at: now)
  }

  /// What the reader missed may not be repaired yet.
  func isRepairing(at now: Instant) -> Bool { now <= repairedBy }

  /// The reader was stopped until now: what it reads only now is doubted from now on.
  mutating func wasStopped(until now: Instant) {
    if abandonedSince != nil { abandonedSince = now }
    lostFrames(at: now)
  }

  /// The reader did not receive all frames; of type A it then knows nothing for a while.
  mutating func lostFrames(at now: Instant) {
    isGroupsKnown = false
    groupsLostAt = now
    for index in slots.indices where slots[index].pressed == .no { slots[index].pressed = .perhaps }
  }

  // MARK: The verdict

  /// What is wrong with a verdict, or nil.
  func objection(
    to verdict: ContactTracker.Verdict, _ occasion: Occasion, isGrabbed: Bool, at now: Instant
  ) -> String? {
    if verdict == .idle {
      if occasion == .read && (isGrabbed || now <= repairedBy) { return nil }
      if isSurelyTouched(now, occasion, isGrabbed: isGrabbed) { return "idle with a finger on the glass" }
      let isInGap = occasion != .recheckedInFrame && now > repairedBy && !isGrabbed && isGap && isBouncing(at: now)
      if isInGap, let since = emptySince, now - since < Self.bouncing - Self.slack { return "idle in a gap" }
      return nil
    }
    let mayBeHeld = now - lastGap < .seconds(10)
    let repaired = repairedBy + (mayBeHeld ? Self.bouncing : .zero) + Self.slack
    if occasion == .recheckedInFrame || now <= repaired { return nil }
    if mayBeHeld && now - lastFrame <= Self.bouncing + Self.slack { return nil }
    // Without BTN_TOUCH in its frames, each end is confirmed by a second read.
    if isButtonMasked && now - lastFrame <= ContactTracker.secondRead + Self.slack { return nil }
    let start = touchProtocol == .typeA || mayBeHeld ? groupsLostAt : Instant.distantPast
    // A hovering contact may be doubted first.
    let mayDoubt = touchDown == false && slots.contains(where: \.isPresent)
    // With BTN_TOUCH 0 that only the table has, doubt begins at the second read of a recheck.
    let doubt = mayDoubt ? ContactTracker.doubt + Self.pruning : .zero
    let bound =
      doubt + (isGrabbed ? Self.pruning : .zero)
      + (touchProtocol == .typeA ? ContactTracker.silence + Self.restless : .zero)
      + (mayBeHeld ? Self.bouncing + Self.restless : .zero)
      // Frames have no BTN_TOUCH: the second read confirms it, or its end.
      + (isButtonMasked ? Self.pruning : .zero)
      + Self.slack
    if let since = emptySince, now - max(since, start) > bound {
      return "\(verdict.rawValue) for \(now - since) with nobody on the glass"
    }
    if endsWithButton, let since = abandonedSince, now - since > Self.pruning + ContactTracker.doubt + Self.slack {
      return "\(verdict.rawValue) for \(now - since) after BTN_TOUCH 0"
    }
    // With BTN_TOUCH down a finger may rest for longer.
    if touchProtocol == .typeA, touchDown != true,
      now - max(lastGroup, start) > ContactTracker.silence + Self.restless + (isGrabbed ? Self.pruning : .zero)
        + Self.slack
    {
      return "\(verdict.rawValue) for \(now - lastGroup) of silence"
    }
    return nil
  }

  private func isSurelyTouched(_ now: Instant, _ occasion: Occasion, isGrabbed: Bool) -> Bool {
    switch touchProtocol {
    case .typeB:
      if isTouchedWithoutSlot && !(isButtonMasked && occasion == .read) { return true }
      // Down, and nothing else explains it: then those that a rule ignored count, too.
      if touchDown == true && slots.contains(where: \.isPresent) && !slots.contains(where: \.isNear) {
        return true
      }
      return slots.contains { slot in
        guard slot.isFinger && !slot.wasPalm && !slot.isReleased else { return false }
        if slot.pressed == .no && !isGrabbed { return true }
        return slot.doubtedSince.map { now - $0 < ContactTracker.doubt - Self.slack } ?? true
      }
    case .singleTouch:
      return touchDown == true
    case .typeA:
      if touchDown == true && (isGroupsKnown || occasion != .read) { return true }
      // No table: under a grab nothing can be known.
      return groups > 0 && isGroupsKnown && !isGrabbed && now - lastGroup < ContactTracker.silence - Self.slack
    }
  }
}
