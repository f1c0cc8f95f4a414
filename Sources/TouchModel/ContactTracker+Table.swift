public import Timeline

/// The effect of the kernel's slot table: at open and after a loss it decides everything; otherwise it adds contacts at
/// once, and ends them only with a second read that agrees.
extension ContactTracker {
  /// Takes over a slot table as the truth, at open and after a loss. No older or unread event may be queued.
  public mutating func adopt(_ table: KernelTable, at now: Instant) -> [ContactChange] {
    let table = table.normalized
    let unheard = slots.map { $0.addedUnheard != nil }
    forgetReads()
    remember(table)
    if table.touchDown == true { hasPressed = true }
    switch profile.touchProtocol {
    case .typeB:
      for index in slots.indices where index < table.trackingIDs.count {
        let isOther = table.trackingIDs[index] != slots[index].id
        take(table, index, .endedDuringLoss, at: now)
        // BTN_TOUCH may have been down for it unnoticed, and a suspend leaves ids in the table that are over.
        if isOther || hasPressed && (lost || unheard[index]) { slots[index].wasPressed = true }
      }
      slotIsValid = table.currentSlot >= 0 && table.currentSlot < slots.count
      if slotIsValid { currentSlot = table.currentSlot }
      applyButton(table.touchDown, at: now)
      frameButton = touchDown
      judgeSlotless(isSure: true, .endedDuringLoss, at: now)
      becomeCertain(at: now)
      adoptedAt = now
    case .singleTouch:
      touchDown = table.touchDown ?? touchDown
      set(0, touchDown == true ? standingInTable(0, .touching, table) : .absent, .endedDuringLoss, at: now)
      becomeCertain(at: now)
    case .typeA:
      // No slots: BTN_TOUCH shows whether somebody is there. Without it, silence does.
      touchDown = table.touchDown
      judgeSlotless(isSure: true, .endedDuringLoss, at: now)
      silenceEnds = touchDown == true ? nil : now + Self.silence
      if touchDown == true {
        becomeCertain(at: now)
      } else if table.touchDown == nil && !lost {
        lost = true
        changes.append(.becameUncertain(.unheard, at: now))
      }
    }
    return take()
  }

  /// Remembers the table of a device at rest, so that it is not news later.
  public mutating func rest(_ table: KernelTable) { remember(table) }

  /// Compares the slot table with the frames. The device must have been drained before and after the read. Call it again
  /// at `secondReadDue`, if that is set.
  public mutating func verify(_ table: KernelTable, at now: Instant) -> [ContactChange] {
    if lost { return [] }
    let table = table.normalized
    if let adopted = adoptedAt, adopted + Self.secondRead <= now { adoptedAt = nil }
    notice(table, at: now)
    switch profile.touchProtocol {
    case .typeB:
      for index in slots.indices where index < table.trackingIDs.count { verify(table, index, at: now) }
      verifyButton(table, at: now)
      followSlot(table, at: now)
    case .singleTouch:
      verifySingle(table, at: now)
    case .typeA:
      verifyGroups(table, at: now)
    }
    findStuck(at: now)
    return take()
  }

  // MARK: One slot, one button

  private mutating func verify(_ table: KernelTable, _ index: Int, at now: Instant) {
    if slots[index].presence == .palm, isNoPalm(table, index) {
      // At once, as for anything that may be a finger. In mid-frame this brings back a palm, until the hand lifts.
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
      slots[index].addedUnheard = nil  // What was to be confirmed is no longer there.
      guard Self.isSecondRead(&slots[index].missingSince, at: now) else { return }
      countDrift()
    } else if after.isContact {
      slots[index].addedUnheard = now
    }
    slots[index].missingSince = nil
    take(table, index, .tableDisagreed, at: now)
  }

  /// Frames reported this contact as a palm, but the kernel does not have it as one: the frames were about another slot,
  /// or it changed without an event reaching us.
  private func isNoPalm(_ table: KernelTable, _ index: Int) -> Bool {
    table.trackingIDs[index] == slots[index].id && slots[index].tool == ToolType.palm
      && index < table.toolTypes.count && table.toolTypes[index] != ToolType.palm
  }

  /// A contact that the table added is still there, and no frame has reported it: events are being withheld.
  private mutating func confirm(_ index: Int, at now: Instant) {
    slots[index].missingSince = nil
    guard let added = slots[index].addedUnheard, added + Self.secondRead <= now else { return }
    slots[index].addedUnheard = nil
    countDrift()
    // BTN_TOUCH is withheld, too; it may have been down for this contact, unless the device never presses it.
    if hasPressed { slots[index].wasPressed = true }
  }

  private mutating func verifyButton(_ table: KernelTable, at now: Instant) {
    switch table.touchDown {
    case true?:
      touchDown = true
      (buttonUpSince, slotless.missingSince) = (nil, nil)
      notePressed()
      explainTouchDown(at: now)
      verifySlotless(at: now)
    case false? where slotless.presence != .absent:
      buttonUpSince = nil
      // If only a table has shown it, this table shows that it is over.
      let isOver = slotlessUnconfirmedSince != nil || Self.isSecondRead(&slotless.missingSince, at: now)
      guard isOver else { return }
      if slotlessUnconfirmedSince == nil && !profile.masksButton { countDrift() }
      touchDown = false
      judgeSlotless(isSure: true, .tableDisagreed, at: now)
    case false? where slots.indices.contains(where: isDoubtable):
      guard Self.isSecondRead(&buttonUpSince, at: now) else { return }
      countDrift()
      applyButton(false, at: now)
    case false?, nil:
      buttonUpSince = nil
    }
  }

  /// BTN_TOUCH is down in the table. If no slot explains it, and no frame has reported it, a second read confirms it.
  private mutating func verifySlotless(at now: Instant) {
    let isConfirmed = slotlessUnconfirmedSince.map { $0 + Self.secondRead <= now } ?? false
    if isConfirmed && !profile.masksButton && !isSlotInUse { countDrift() }
    judgeSlotless(isSure: isConfirmed, .tableDisagreed, at: now)
  }

  private mutating func verifySingle(_ table: KernelTable, at now: Instant) {
    switch (table.touchDown, slots[0].presence.isContact) {
    case (true, false) where !slots[0].presence.isStuck:
      let presence = standingInTable(0, .touching, table)
      touchDown = true
      if presence == slots[0].presence { break }
      if presence == .touching { slots[0].addedUnheard = now }
      set(0, presence, .lifted, at: now)
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

  /// BTN_TOUCH is all that the kernel stores of type A. While it is down, silence ends nothing: a resting finger may be
  /// silent (auo-pixcir-ts). Once it is up, silence ends what no frame did.
  private mutating func verifyGroups(_ table: KernelTable, at now: Instant) {
    verifyButton(table, at: now)
    switch table.touchDown {
    case true?: silenceEnds = nil
    case false? where touchDown != false || isSlotInUse:
      touchDown = false
      silenceEnds = silenceEnds ?? now + Self.silence
    case false?, nil: break
    }
  }

  /// Follows the current slot, which changes unnoticed under a foreign grab. The kernel sends a slot only when it changes,
  /// so the first events after the grab would be assigned to another slot.
  private mutating func followSlot(_ table: KernelTable, at now: Instant) {
    guard slots.indices.contains(table.currentSlot), table.currentSlot != currentSlot else {
      slotOffSince = nil
      return
    }
    // They also differ in the middle of a frame, with the events before the change still to come.
    guard mayBeGrabbed || Self.isSecondRead(&slotOffSince, at: now) else { return }
    if !mayBeGrabbed { countDrift() }
    slotOffSince = nil
    currentSlot = table.currentSlot
    slotIsValid = true
  }

  /// Whether the same was read before, at least 20 ms ago and with no frame since. Otherwise this is the first read.
  private static func isSecondRead(_ first: inout Instant?, at now: Instant) -> Bool {
    guard let since = first else {
      first = now
      return false
    }
    if since + secondRead > now { return false }
    first = nil
    return true
  }

  /// When to read the table again because it disagreed with the frames; nil: not needed.
  public var secondReadDue: Instant? {
    var due = [
      buttonUpSince, slotOffSince, adoptedAt, movedUnheardAt, slotlessUnconfirmedSince, slotless.missingSince,
    ].compactMap(\.self).min()
    for slot in slots {
      for since in [slot.missingSince, slot.addedUnheard] {
        if let since { due = min(due ?? since, since) }
      }
    }
    return due.map { $0 + Self.secondRead }
  }

  /// Discards first reads. A frame does this only for the contacts in it: otherwise a finger whose end was missed would
  /// stay while frames of other fingers arrive.
  mutating func forgetReads() {
    buttonUpSince = nil
    slotOffSince = nil
    adoptedAt = nil
    movedUnheardAt = nil
    slotless.missingSince = nil
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

  /// Notices positions that changed without a frame: another process receives the events, and somebody touches. Reads once
  /// a second miss most taps (measured: all of 20), but not the changed position that a tap leaves.
  private mutating func notice(_ table: KernelTable, at now: Instant) {
    var unheard = false
    for index in slots.indices where index < table.positions.count {
      guard let old = slots[index].position, old != table.positions[index] else { continue }
      slots[index].lastChange = now
      if heardSinceRead { continue }  // Frames reported it, before a rule decided or after.
      switch slots[index].presence {
      case .touching, .hovering, .palm:
        break  // Followed by its id; its positions are masked.
      case .unplaced, .ignored:
        break  // Judged by its position, not as news.
      case .marked, .stuck, .doubtful:
        unheard = true
        set(index, slots[index].standing, .lifted, at: now)
      case .absent:
        unheard = unheard || !isIgnored(table.positions[index])
      }
    }
    if unheard {
      changes.append(.activity(at: now))
      // In the middle of a frame they differ, too. A frame that reports them arrives at once; under a grab none does.
      if !mayBeGrabbed { movedUnheardAt = movedUnheardAt ?? now }
    }
    if let since = movedUnheardAt, since + Self.secondRead <= now {
      movedUnheardAt = nil
      if !mayBeGrabbed { countDrift() }
    }
    remember(table)
  }

  private mutating func findStuck(at now: Instant) {
    if slotless.presence == .touching && slotless.lastChange + stuckAfter <= now { stickSlotless(at: now) }
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

  private mutating func stickSlotless(at now: Instant) {
    stuckTotal += 1
    setSlotless(.stuck(held: onStuck == .hold), .stuck, at: now)
    if onStuck == .hold { changes.append(.stuck(.slotless, at: now)) }
  }

  // MARK: Taking over

  /// What a slot is according to the table. What a rule decided about an id holds while the id stays.
  private func presence(_ index: Int, by table: KernelTable) -> Slot.Presence {
    if table.trackingIDs[index] == slots[index].id {
      switch slots[index].presence {
      case .doubtful, .marked, .stuck: return slots[index].presence
      case .palm where !slots[index].toolIsInherited: return .palm
      case .absent, .touching, .hovering, .palm, .unplaced, .ignored: break
      }
    }
    let standing = Slot.standing(
      id: table.trackingIDs[index],
      tool: index < table.toolTypes.count ? table.toolTypes[index] : slots[index].tool,
      distance: index < table.distances.count ? table.distances[index] : slots[index].distance)
    return standingInTable(index, standing, table)
  }

  /// Sets one slot to the table's state.
  private mutating func take(_ table: KernelTable, _ index: Int, _ cause: EndCause, at now: Instant) {
    let after = presence(index, by: table)
    copyTool(table, index)
    if table.trackingIDs[index] != slots[index].id {
      set(index, .absent, cause, at: now)
      slots[index].id = table.trackingIDs[index]
      slots[index].committedID = slots[index].id
      slots[index].lastChange = now
      slots[index].wasPressed = false
    }
    set(index, after, cause, at: now)
  }

  /// Copies tool and distance. The kernel sends them only when they change, so what changed under a foreign grab is not
  /// sent again for the next contact of the slot.
  private mutating func copyTool(_ table: KernelTable, _ index: Int) {
    if index < table.toolTypes.count { slots[index].tool = table.toolTypes[index] }
    if index < table.distances.count { slots[index].distance = table.distances[index] }
  }

  /// Applies BTN_TOUCH of the table: up makes contacts on the glass doubtful; down with no contact to explain it brings
  /// back what a rule had ended.
  private mutating func applyButton(_ button: Bool?, at now: Instant) {
    guard let button else { return }
    touchDown = button
    if button { explainTouchDown(at: now) } else { doubtAll(at: now) }
  }
}

extension KernelTable {
  /// With -1 for every id below zero.
  var normalized: KernelTable {
    guard trackingIDs.contains(where: { $0 < -1 }) else { return self }
    var table = self
    table.trackingIDs = trackingIDs.map { max($0, -1) }
    return table
  }
}
