import Timeline

/// The meaning of a complete frame.
extension ContactTracker {
  mutating func apply(_ frame: Frame) {
    switch profile.touchProtocol {
    case .typeB: applySlots(frame)
    case .typeA: applyGroups(frame)
    case .singleTouch: applySingle(frame)
    }
    if frame.ending == .keysReleasedByKernel { releaseAll(at: frame.time) }
  }

  /// The kernel released the keys: all contacts of the device end, although their slots may stay active
  /// (canonical/mir#1612, linux-surface#417).
  private mutating func releaseAll(at time: Instant) {
    for index in slots.indices where slots[index].presence != .absent {
      set(index, slots[index].id == -1 ? .absent : .marked, .keysReleased, at: time)
    }
  }

  /// Follows BTN_TOUCH as the frame reports it, if it does.
  private mutating func follow(_ button: Bool?) {
    guard let button else { return }
    buttonUpSince = nil
    slotless.missingSince = nil
    touchDown = button
  }

  /// Why a contact ends that BTN_TOUCH alone had shown.
  private func cause(_ frame: Frame) -> EndCause { frame.ending == .keysReleasedByKernel ? .keysReleased : .lifted }

  // MARK: Type B

  private mutating func applySlots(_ frame: Frame) {
    let button = frame.button
    for update in frame.updates {
      switch (update.type, update.code) {
      case (EventType.key, EventCode.buttonTouch): press(update.value != 0)
      case (EventType.abs, EventCode.slot): select(update.value)
      case (EventType.abs, _): store(update)
      default: break
      }
    }
    follow(button)
    if slots.contains(where: { $0.id != -1 }) { setSlotless(.absent, .replaced, at: frame.time) }
    for index in slots.indices where slots[index].news.changed { commit(index, at: frame.time) }
    if touchDown == true {
      // Also if the frame does not include BTN_TOUCH: the contact that explained it may have ended.
      explainTouchDown(at: frame.time)
    } else if button == false && frame.ending == .report {
      doubtAll(at: frame.time)
    }
    // Without BTN_TOUCH in the frame it may have gone up unheard: masked, or withheld by a grab that has ended.
    judgeSlotless(isSure: button != nil, cause(frame), at: frame.time)
  }

  /// BTN_TOUCH in the order of the frame: what lives while it is down was pressed.
  private mutating func press(_ isDown: Bool) {
    frameButton = isDown
    if !isDown { return }
    hasPressed = true
    for index in slots.indices where slots[index].id != -1 { slots[index].wasPressed = true }
  }

  private mutating func select(_ value: Int32) {
    slotOffSince = nil
    slotIsValid = value >= 0 && value < slots.count
    if slotIsValid {
      currentSlot = Int(value)
    } else {
      anomalies += 1
    }
  }

  private mutating func store(_ update: Frame.Update) {
    // Codes from ABS_MT_TOUCH_MAJOR to ABS_MT_TOOL_Y belong to the current slot; the others belong to none.
    guard update.code >= EventCode.touchMajor && update.code <= EventCode.toolY && slotIsValid else { return }
    slots[currentSlot].receive(update)
    // Also if a table read in the middle of the frame has had the id already.
    if update.code == EventCode.trackingID { slots[currentSlot].wasPressed = frameButton == true }
  }

  private mutating func commit(_ index: Int, at time: Instant) {
    let news = slots[index].news
    slots[index].news = Slot.News()
    slots[index].lastChange = time
    slots[index].addedUnheard = nil
    if news.newContact || news.sawEnd { slots[index].missingSince = nil }
    if news.newContact || news.sawTool { slots[index].toolIsInherited = !news.sawTool }
    if news.newContact {
      buttonUpSince = nil
      // Nothing shows any more where it was.
      if slots[index].presence == .unplaced { changes.append(.activity(at: time)) }
      // Another id means another contact, with or without -1 in between.
      set(index, .absent, news.sawEnd ? .lifted : .replaced, at: time)
      if slots[index].id == -1 {  // Down and up in one frame.
        if profile.ignoredAreas.isEmpty { changes.append(.activity(at: time)) } else { slots[index].unplacedTap = time }
      }
      set(index, standingInFrame(index), .lifted, at: time)
    } else if slots[index].id == -1 {
      rememberTap(index, at: time)
      set(index, .absent, .lifted, at: time)
    } else if slots[index].presence != .palm {
      // New data of the same contact: it is there, even if a rule had doubted or ended it.
      set(index, standingInFrame(index), .cancelled, at: time)
    }
    slots[index].committedID = slots[index].id
  }

  // MARK: Type A

  private mutating func applyGroups(_ frame: Frame) {
    let button = frame.button
    follow(button)
    var groups = frame.groups(isIgnored: isIgnored)
    if groups.isReported && groups.ignored > 0 {
      // What counts, counts to its end, also inside.
      let counted = contacts.count { $0 != .slotless }
      let moved = min(max(0, counted - groups.fingers), groups.ignored)
      groups.fingers += moved
      groups.ignored -= moved
    }
    if button == false { groups = Frame.Groups(isReported: true) }
    if groups.isReported {
      setGroups(groups, at: frame.time)
      for index in slots.indices where slots[index].presence != .absent { slots[index].lastChange = frame.time }
    }
    if touchDown == true { silenceEnds = nil }
    judgeSlotless(isSure: button != nil, cause(frame), at: frame.time)
    if groups.isReported || button != nil { becomeCertain(at: frame.time) }
  }

  /// Groups have no identity: the first slots represent the fingers, the next ones those that hover or are palms.
  private mutating func setGroups(_ groups: Frame.Groups, at time: Instant) {
    let presences =
      Array(repeating: Slot.Presence.touching, count: groups.fingers)
      + Array(repeating: .hovering, count: groups.hovering) + Array(repeating: .palm, count: groups.palms)
      + Array(repeating: .ignored, count: groups.ignored)
    let count = min(presences.count, ScreenProfile.mostSlots)
    if count > 0 { setSlotless(.absent, .replaced, at: time) }
    while slots.count < count { slots.append(Slot()) }
    for index in slots.indices {
      set(index, index < count ? presences[index] : .absent, index < count ? .cancelled : .lifted, at: time)
    }
    silenceEnds = count > 0 ? time + Self.silence : nil
  }

  // MARK: Single touch

  private mutating func applySingle(_ frame: Frame) {
    for update in frame.updates where update.type == EventType.abs {
      if update.code == EventCode.absX { slots[0].position?.x = update.value }
      if update.code == EventCode.absY { slots[0].position?.y = update.value }
    }
    if slots[0].presence == .ignored, !isIgnored(slots[0].position) { set(0, .touching, .lifted, at: frame.time) }
    for update in frame.updates
    where update.type == EventType.key && update.code == EventCode.buttonTouch {
      slots[0].lastChange = frame.time
      slots[0].forgetReads()
      touchDown = update.value != 0
      if touchDown == false { rememberTap(0, at: frame.time) }
      let isPlaced = profile.ignoredAreas.isEmpty || slots[0].presence != .absent
      set(0, touchDown == false ? .absent : isPlaced ? .touching : .unplaced, cause(frame), at: frame.time)
    }
  }
}

extension Frame {
  /// The last BTN_TOUCH of the frame; nil: it has none.
  var button: Bool? {
    updates.last { $0.type == EventType.key && $0.code == EventCode.buttonTouch }.map { $0.value != 0 }
  }

  /// The groups of a type A frame.
  struct Groups {
    /// The frame has at least one SYN_MT_REPORT, or a group without it.
    var isReported = false
    var fingers = 0
    var hovering = 0
    var palms = 0
    /// Fingers in an ignored area.
    var ignored = 0
  }

  func groups(isIgnored: (KernelTable.Position?) -> Bool) -> Groups {
    var groups = Groups()
    var group = Slot()
    var position = KernelTable.Position(x: .min, y: .min)
    var hasData = false
    func close(_ groups: inout Groups) {
      groups.isReported = true
      if hasData {
        switch Slot.standing(id: 0, tool: group.tool, distance: group.distance) {
        case .palm: groups.palms += 1
        case .hovering: groups.hovering += 1
        default: if isIgnored(position) { groups.ignored += 1 } else { groups.fingers += 1 }
        }
      }
      (group, hasData, position) = (Slot(), false, KernelTable.Position(x: .min, y: .min))
    }
    for update in updates {
      switch (update.type, update.code) {
      case (EventType.syn, EventCode.synMTReport):
        close(&groups)
      case (EventType.abs, EventCode.touchMajor...EventCode.toolY):
        hasData = true
        if update.code == EventCode.toolType { group.tool = update.value }
        if update.code == EventCode.distance { group.distance = update.value }
        if update.code == EventCode.positionX { position.x = update.value }
        if update.code == EventCode.positionY { position.y = update.value }
      default:
        break
      }
    }
    if hasData { close(&groups) }  // The last group of a sloppy driver has no SYN_MT_REPORT of its own.
    return groups
  }
}

extension Slot {
  mutating func receive(_ update: Frame.Update) {
    news.changed = true
    switch update.code {
    case EventCode.trackingID:
      let value = max(update.value, -1)
      // A repeated id is not news.
      if value == id { return }
      if value == -1 {
        news.sawEnd = true
      } else {
        news.newContact = true
      }
      id = value
    case EventCode.toolType:
      tool = update.value
      news.sawTool = true
    case EventCode.distance:
      distance = update.value
    case EventCode.positionX:
      position?.x = update.value
    case EventCode.positionY:
      position?.y = update.value
    default:
      break
    }
  }
}
