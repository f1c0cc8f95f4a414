public import Timeline

/// What the kernel's table may do: everything at open and after a loss; otherwise add at once, and end only with a
/// second read that agrees.
extension ContactTracker {
  /// At open, and after a loss: the table is the truth, because nothing is queued that is older or unread.
  public mutating func adopt(_ table: KernelTable, at now: Instant) -> [ContactChange] {
    forgetReads()
    remember(table)
    switch profile.tongue {
    case .slots:
      for index in slots.indices where index < table.trackingIDs.count {
        take(table, index, .endedDuringLoss, at: now)
      }
      slotIsValid = table.currentSlot >= 0 && table.currentSlot < slots.count
      if slotIsValid { currentSlot = table.currentSlot }
      hear(table.touchDown, at: now)
      becomeCertain(at: now)
      adoptedAt = now
    case .single:
      touchDown = table.touchDown ?? touchDown
      set(0, touchDown == true ? .touching : .absent, .endedDuringLoss, at: now)
      becomeCertain(at: now)
    case .groups:
      // No table. Where BTN_TOUCH tells that somebody is there, one contact stands for all until frames come.
      if table.touchDown == true && contacts.isEmpty { setGroups(1, at: now) }
      silenceEnds = now + Self.silence
      if table.touchDown == nil && !lost {
        lost = true
        changes.append(.becameUncertain(.unheard, at: now))
      }
    }
    return take()
  }

  /// The table of a device that was found at rest: what it holds is not news later.
  public mutating func rest(_ table: KernelTable) { remember(table) }

  /// A look at the table while frames are being followed. The caller has drained the device before and after the
  /// read, and calls again at `secondReadDue` where that is set.
  public mutating func verify(_ table: KernelTable, at now: Instant) -> [ContactChange] {
    if lost { return [] }
    if let adopted = adoptedAt, adopted + Self.secondRead <= now { adoptedAt = nil }
    notice(table, at: now)
    switch profile.tongue {
    case .slots:
      for index in slots.indices where index < table.trackingIDs.count { verify(table, index, at: now) }
      verifyButton(table, at: now)
      followSlot(table, at: now)
    case .single:
      verifySingle(table, at: now)
    case .groups:
      verifyGroups(table, at: now)
    }
    findStuck(at: now)
    return take()
  }

  // MARK: One slot, one button

  private mutating func verify(_ table: KernelTable, _ index: Int, at now: Instant) {
    if slots[index].presence == .palm, isNoPalm(table, index) {
      // At once, as all that may be a finger: in mid-frame that brings back a palm, which the hand will lift.
      countDrift()
      copyTool(table, index)
      set(index, slots[index].standing, .tableDisagreed, at: now)
      return
    }
    let before = slots[index].presence
    let after = presence(index, by: table)
    if table.trackingIDs[index] == slots[index].id && after == before {
      confirm(index, at: now)
      copyTool(table, index)
      return
    }
    if before.isContact && !after.isContact {
      slots[index].addedUnheard = nil  // What was to be confirmed is not there any more.
      guard Self.isSecondRead(&slots[index].missingSince, at: now) else { return }
      countDrift()
    } else if after.isContact {
      slots[index].addedUnheard = now
    }
    slots[index].missingSince = nil
    take(table, index, .tableDisagreed, at: now)
  }

  /// Frames told that this contact is a palm, and the kernel has it as none: what they told was about another slot, or
  /// it changed unheard.
  private func isNoPalm(_ table: KernelTable, _ index: Int) -> Bool {
    table.trackingIDs[index] == slots[index].id && slots[index].tool == ToolType.palm
      && index < table.toolTypes.count && table.toolTypes[index] != ToolType.palm
  }

  /// A contact that the table added, there for so long and no frame told of it: events are withheld.
  private mutating func confirm(_ index: Int, at now: Instant) {
    slots[index].missingSince = nil
    guard let added = slots[index].addedUnheard, added + Self.secondRead <= now else { return }
    slots[index].addedUnheard = nil
    countDrift()
  }

  private mutating func verifyButton(_ table: KernelTable, at now: Instant) {
    if table.touchDown == true {
      touchDown = true
      buttonUpSince = nil
      explainTouchDown(at: now)
    } else if table.touchDown == false && slots.contains(where: { $0.presence.mayBeDoubted }) {
      guard Self.isSecondRead(&buttonUpSince, at: now) else { return }
      countDrift()
      hear(false, at: now)
    } else {
      buttonUpSince = nil
    }
  }

  private mutating func verifySingle(_ table: KernelTable, at now: Instant) {
    switch (table.touchDown, slots[0].presence.isContact) {
    case (true, false) where !slots[0].presence.isStuck:
      slots[0].addedUnheard = now
      touchDown = true
      set(0, .touching, .lifted, at: now)
    case (false, true):
      slots[0].addedUnheard = nil
      guard Self.isSecondRead(&slots[0].missingSince, at: now) else { return }
      countDrift()
      touchDown = false
      set(0, .absent, .tableDisagreed, at: now)
    case (false, false):
      slots[0].forgetReads()
      touchDown = false
      set(0, .absent, .lifted, at: now)  // One that was stuck is over.
    case (true, _), (nil, _):
      confirm(0, at: now)
    }
  }

  /// BTN_TOUCH is all that the kernel holds of type A; a finger that rests may be silent for longer than the rule. One
  /// that is stuck has no silence left to end it: BTN_TOUCH does.
  private mutating func verifyGroups(_ table: KernelTable, at now: Instant) {
    switch (table.touchDown, stuckCount) {
    case (true, 0): setGroups(max(1, contacts.count), at: now)
    case (true, _): silenceEnds = nil
    case (false, 1...): silenceEnds = silenceEnds ?? now + Self.silence
    case (false, _), (nil, _): break
    }
  }

  /// What another process was told, we were not: also which slot is current. The kernel tells a slot only when it
  /// changes, so the first events after the grab would be taken for another slot's.
  private mutating func followSlot(_ table: KernelTable, at now: Instant) {
    guard slots.indices.contains(table.currentSlot), table.currentSlot != currentSlot else {
      slotOffSince = nil
      return
    }
    // In the middle of a frame they differ too, and the events before the change are still to come.
    guard mayBeGrabbed || Self.isSecondRead(&slotOffSince, at: now) else { return }
    if !mayBeGrabbed { countDrift() }
    slotOffSince = nil
    currentSlot = table.currentSlot
    slotIsValid = true
  }

  /// Whether the same was read before, long enough ago and with no frame since; else this is the first read.
  private static func isSecondRead(_ first: inout Instant?, at now: Instant) -> Bool {
    guard let since = first else {
      first = now
      return false
    }
    if since + secondRead > now { return false }
    first = nil
    return true
  }

  /// When the table must be read again because it disagreed with the frames; nil: not wanted.
  public var secondReadDue: Instant? {
    var due = [buttonUpSince, slotOffSince, adoptedAt].compactMap(\.self).min()
    for slot in slots {
      for since in [slot.missingSince, slot.addedUnheard] {
        if let since { due = min(due ?? since, since) }
      }
    }
    return due.map { $0 + Self.secondRead }
  }

  /// What was read before proves nothing any more. A frame does this for what it speaks of, and not for all: else a
  /// finger that went unheard would stay as long as frames of others come.
  mutating func forgetReads() {
    buttonUpSince = nil
    slotOffSince = nil
    adoptedAt = nil
    for index in slots.indices { slots[index].forgetReads() }
  }

  private mutating func countDrift() {
    drift += 1
    mayBeGrabbed = true
  }

  // MARK: Positions

  private mutating func remember(_ table: KernelTable) {
    heardSinceRead = false
    for index in slots.indices where index < table.positions.count {
      slots[index].position = table.positions[index]
    }
  }

  /// Positions that changed although no frame came: another process gets the events, and somebody touches. Reads once
  /// a second miss most taps (measured: all of 20), but not that a finger was there.
  private mutating func notice(_ table: KernelTable, at now: Instant) {
    var unheard = false
    for index in slots.indices where index < table.positions.count {
      guard let old = slots[index].position, old != table.positions[index] else { continue }
      slots[index].lastChange = now
      if heardSinceRead { continue }  // Frames told of it, before a rule decided or after.
      switch slots[index].presence {
      case .touching, .hovering, .palm:
        break  // Followed by its id; the kernel masks its positions.
      case .marked, .stuck, .doubtful:
        unheard = true
        set(index, slots[index].standing, .lifted, at: now)
      case .absent:
        unheard = true
      }
    }
    if unheard {
      if !mayBeGrabbed { countDrift() }
      changes.append(.activity(at: now))
    }
    remember(table)
  }

  private mutating func findStuck(at now: Instant) {
    for index in slots.indices
    where slots[index].presence == .touching && slots[index].lastChange + stuckAfter <= now {
      stuckTotal += 1
      silenceEnds = nil
      switch onStuck {
      case .ignore:
        set(index, .stuck(held: false), .stuck, at: now)
      case .hold:
        set(index, .stuck(held: true), .stuck, at: now)
        changes.append(.stuck(contact(index, slots[index].id), at: now))
      }
    }
  }

  // MARK: Taking over

  /// What one slot is by the table. What a rule decided about an id stays as long as the id does.
  private func presence(_ index: Int, by table: KernelTable) -> Slot.Presence {
    if table.trackingIDs[index] == slots[index].id {
      switch slots[index].presence {
      case .doubtful, .marked, .stuck: return slots[index].presence
      case .palm where !slots[index].toolIsInherited: return .palm
      case .absent, .touching, .hovering, .palm: break
      }
    }
    return Slot.standing(
      id: table.trackingIDs[index],
      tool: index < table.toolTypes.count ? table.toolTypes[index] : slots[index].tool,
      distance: index < table.distances.count ? table.distances[index] : slots[index].distance)
  }

  /// Makes one slot what the table says.
  private mutating func take(_ table: KernelTable, _ index: Int, _ cause: EndCause, at now: Instant) {
    let after = presence(index, by: table)
    copyTool(table, index)
    if table.trackingIDs[index] != slots[index].id {
      set(index, .absent, cause, at: now)
      slots[index].id = table.trackingIDs[index]
      slots[index].committedID = slots[index].id
      slots[index].lastChange = now
    }
    set(index, after, cause, at: now)
  }

  /// The kernel tells of tool and distance only when they change: what changed under a foreign grab is not told again for
  /// the next contact of the slot.
  private mutating func copyTool(_ table: KernelTable, _ index: Int) {
    if index < table.toolTypes.count { slots[index].tool = table.toolTypes[index] }
    if index < table.distances.count { slots[index].distance = table.distances[index] }
  }

  /// BTN_TOUCH as the table has it: up with contacts on the glass makes them doubtful, down that nothing explains
  /// brings back what a rule had ended.
  private mutating func hear(_ button: Bool?, at now: Instant) {
    guard let button else { return }
    touchDown = button
    if button { explainTouchDown(at: now) } else { doubtAll(at: now) }
  }
}
