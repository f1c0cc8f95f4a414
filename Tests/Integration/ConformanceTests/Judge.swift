import Timeline
import TouchModel

/// Decides from the device's side whether a verdict is wrong. Independent of the tracker's rules: it sees all events, and
/// uses only the documented exceptions and bounds.
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

    var isNear: Bool { id != -1 && (wasPalm || tool == ToolType.palm || distance > 0) }
    var isFinger: Bool { id != -1 && tool != ToolType.palm && distance <= 0 }
  }

  /// The recheck of each second while something waits, and 20 ms for the second read.
  static let pruning: Duration = .milliseconds(1020)
  /// A device that does not come to rest is tried again every 50 ms, a few times in these trials.
  static let restless: Duration = .milliseconds(200)
  /// For stamps in whole microseconds.
  static let slack: Duration = .milliseconds(1)

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
    let isRelease = value != 0 && releasedInFrame
    if value != 0 && !isRelease { return }
    for index in slots.indices where slots[index].isMentioned {
      slots[index].isMentioned = false
      if slots[index].tool == ToolType.palm && slots[index].id != -1 { slots[index].wasPalm = true }
      if reached {
        slots[index].isReleased = false
        slots[index].doubtedSince = nil
      }
      abandonedSince = nil
    }
    if isRelease { for index in slots.indices where slots[index].id != -1 { slots[index].isReleased = true } }
    endGroups(reached: reached, stamp: stamp)
    releasedInFrame = false
    settle(min(now, stamp))
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

  private mutating func settle(_ now: Instant) {
    var somebody = false
    for index in slots.indices where slots[index].id != -1 {
      guard slots[index].isFinger else { continue }
      somebody = true
      if touchDown == false && slots[index].doubtedSince == nil { slots[index].doubtedSince = now }
    }
    switch touchProtocol {
    case .typeB:
      if touchDown != false || !somebody { abandonedSince = nil } else { abandonedSince = abandonedSince ?? now }
    case .singleTouch:
      somebody = touchDown == true
    case .typeA:
      somebody = groups > 0
    }
    emptySince = somebody ? nil : emptySince ?? now
  }

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
  }

  // MARK: The verdict

  /// What is wrong with a verdict, or nil.
  func objection(
    to verdict: ContactTracker.Verdict, _ occasion: Occasion, isGrabbed: Bool, at now: Instant
  ) -> String? {
    if verdict == .idle {
      if occasion == .read && (isGrabbed || now <= repairedBy) { return nil }
      return isSurelyTouched(now, isGrabbed: isGrabbed) ? "idle with a finger on the glass" : nil
    }
    if occasion == .recheckedInFrame || now <= repairedBy + Self.slack { return nil }
    let start = touchProtocol == .typeA ? groupsLostAt : Instant.distantPast
    // A hovering contact may be doubted first.
    let mayDoubt = touchDown == false && slots.contains { $0.id != -1 }
    // With BTN_TOUCH 0 that only the table has, doubt begins at the second read of a recheck.
    let doubt = mayDoubt ? ContactTracker.doubt + Self.pruning : .zero
    let bound =
      doubt + (isGrabbed ? Self.pruning : .zero)
      + (touchProtocol == .typeA ? ContactTracker.silence + Self.restless : .zero)
      + Self.slack
    if let since = emptySince, now - max(since, start) > bound {
      return "\(verdict.rawValue) for \(now - since) with nobody on the glass"
    }
    if let since = abandonedSince, now - since > Self.pruning + ContactTracker.doubt + Self.slack {
      return "\(verdict.rawValue) for \(now - since) after BTN_TOUCH 0"
    }
    // With BTN_TOUCH down a finger may rest for longer.
    if touchProtocol == .typeA, touchDown != true,
      now - max(lastGroup, start) > ContactTracker.silence + Self.restless + Self.slack
    {
      return "\(verdict.rawValue) for \(now - lastGroup) of silence"
    }
    return nil
  }

  private func isSurelyTouched(_ now: Instant, isGrabbed: Bool) -> Bool {
    switch touchProtocol {
    case .typeB:
      // Down, and nothing else explains it: then those that a rule ignored count, too.
      if touchDown == true && slots.contains(where: { $0.id != -1 }) && !slots.contains(where: { $0.isNear }) {
        return true
      }
      return slots.contains { slot in
        guard slot.isFinger && !slot.wasPalm && !slot.isReleased else { return false }
        return slot.doubtedSince.map { now - $0 < ContactTracker.doubt - Self.slack } ?? true
      }
    case .singleTouch:
      return touchDown == true
    case .typeA:
      // No table: under a grab nothing can be known.
      return groups > 0 && isGroupsKnown && !isGrabbed && now - lastGroup < ContactTracker.silence - Self.slack
    }
  }
}
