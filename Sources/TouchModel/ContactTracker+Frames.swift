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

  // MARK: Type B

  private mutating func applySlots(_ frame: Frame) {
    var button: Bool?
    for update in frame.updates {
      switch update.type {
      case EventType.key:
        if update.code == EventCode.buttonTouch { button = update.value != 0 }
      case EventType.abs:
        update.code == EventCode.slot ? select(update.value) : store(update)
      default:
        break
      }
    }
    for index in slots.indices where slots[index].news.changed { commit(index, at: frame.time) }
    if button != nil { buttonUpSince = nil }
    touchDown = button ?? touchDown
    if touchDown == true {
      // Also if the frame does not include BTN_TOUCH: the contact that explained it may have ended.
      explainTouchDown(at: frame.time)
    } else if button == false && frame.ending == .report {
      doubtAll(at: frame.time)
    }
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
      // Another id means another contact, with or without -1 in between.
      set(index, .absent, news.sawEnd ? .lifted : .replaced, at: time)
      if slots[index].id == -1 { changes.append(.activity(at: time)) }  // Down and up in one frame.
      set(index, slots[index].standing, .lifted, at: time)
    } else if slots[index].id == -1 {
      set(index, .absent, .lifted, at: time)
    } else if slots[index].presence != .palm {
      // New data of the same contact: it is there, even if a rule had doubted or ended it.
      set(index, slots[index].standing, .cancelled, at: time)
    }
    slots[index].committedID = slots[index].id
  }

  /// BTN_TOUCH 0 in an ordinary frame: remaining contacts are doubted, for panels whose driver never sends
  /// ABS_MT_TRACKING_ID -1 (lvgl#9829).
  mutating func doubtAll(at time: Instant) {
    for index in slots.indices where slots[index].presence.mayBeDoubted {
      set(index, .doubtful(until: time + Self.doubt), .doubtful, at: time)
    }
  }

  // MARK: Type A

  private mutating func applyGroups(_ frame: Frame) {
    var button: Bool?
    var groups = 0
    var sawGroup = false
    var groupHasData = false
    for update in frame.updates {
      switch (update.type, update.code) {
      case (EventType.key, EventCode.buttonTouch):
        button = update.value != 0
      case (EventType.syn, EventCode.synMTReport):
        sawGroup = true
        if groupHasData { groups += 1 }
        groupHasData = false
      case (EventType.abs, EventCode.touchMajor...EventCode.toolY):
        groupHasData = true
      default:
        break
      }
    }
    if groupHasData {  // The last group of a sloppy driver has no SYN_MT_REPORT of its own.
      sawGroup = true
      groups += 1
    }
    if button == false { groups = 0 }
    touchDown = button ?? touchDown
    if sawGroup || button == false { setGroups(min(groups, ScreenProfile.mostSlots), at: frame.time) }
    for index in slots.indices.prefix(groups) { slots[index].lastChange = frame.time }
    if sawGroup || button != nil { becomeCertain(at: frame.time) }
  }

  mutating func setGroups(_ count: Int, at time: Instant) {
    while slots.count < count { slots.append(Slot()) }
    for index in slots.indices {
      set(index, index < count ? .touching : .absent, .lifted, at: time)
    }
    silenceEnds = count > 0 ? time + Self.silence : nil
  }

  // MARK: Single touch

  private mutating func applySingle(_ frame: Frame) {
    for update in frame.updates
    where update.type == EventType.key && update.code == EventCode.buttonTouch {
      slots[0].lastChange = frame.time
      slots[0].forgetReads()
      set(0, update.value == 0 ? .absent : .touching, .lifted, at: frame.time)
      touchDown = update.value != 0
    }
  }
}

extension Slot {
  mutating func receive(_ update: Frame.Update) {
    news.changed = true
    switch update.code {
    case EventCode.trackingID:
      // A repeated id is not news.
      if update.value == id { return }
      if update.value == -1 {
        news.sawEnd = true
      } else {
        news.newContact = true
      }
      id = update.value
    case EventCode.toolType:
      tool = update.value
      news.sawTool = true
    case EventCode.distance:
      distance = update.value
    default:
      break
    }
  }
}
