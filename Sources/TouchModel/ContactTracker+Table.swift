public import Timeline

/// What the kernel's table may do: everything at open and after a loss; otherwise add at once, and end only with a
/// second read that agrees.
extension ContactTracker {
  /// At open, and after a loss: the table is the truth, because nothing is queued that is older or unread.
  public mutating func adopt(_ table: KernelTable, at now: Instant) -> [ContactChange] {
    secondReadDue = nil
    switch profile.tongue {
    case .slots:
      for index in slots.indices where index < table.trackingIDs.count {
        take(table, index, .endedDuringLoss, at: now)
      }
      slotIsValid = table.currentSlot >= 0 && table.currentSlot < slots.count
      if slotIsValid { currentSlot = table.currentSlot }
      hear(table.touchDown, at: now)
      becomeCertain(at: now)
    case .single:
      touchDown = table.touchDown ?? touchDown
      set(0, touchDown == true ? .touching : .absent, .endedDuringLoss, at: now)
      becomeCertain(at: now)
    case .groups:
      // No table. Where BTN_TOUCH tells that somebody is there, one contact stands for all until frames come.
      if table.touchDown == true && contacts.isEmpty { setGroups(1, at: now) }
      silenceEnds = now + Self.silence
    }
    return take()
  }

  /// A look at the table while frames are being followed. The caller has drained the device before and after the
  /// read, and calls again at `secondReadDue` where that is set.
  public mutating func verify(_ table: KernelTable, at now: Instant) -> [ContactChange] {
    if lost { return [] }
    let mayEnd = secondReadDue.map { $0 <= now } ?? false
    var disagrees = false
    switch profile.tongue {
    case .slots:
      for index in slots.indices where index < table.trackingIDs.count {
        let before = slots[index].presence
        let after = presence(index, by: table)
        if table.trackingIDs[index] == slots[index].id && after == before { continue }
        if before.isContact && !after.isContact && !mayEnd {
          disagrees = true
          continue
        }
        drift += 1
        take(table, index, .tableDisagreed, at: now)
      }
      if table.touchDown == true {
        touchDown = true
        explainTouchDown(at: now)
      } else if table.touchDown == false && slots.contains(where: { $0.presence == .touching }) {
        if mayEnd {
          drift += 1
          hear(false, at: now)
        } else {
          disagrees = true
        }
      }
    case .single:
      if table.touchDown == true && touchDown != true {
        drift += 1
        touchDown = true
        set(0, .touching, .lifted, at: now)
      } else if table.touchDown == false && slots[0].presence.isContact {
        if mayEnd {
          drift += 1
          touchDown = false
          set(0, .absent, .tableDisagreed, at: now)
        } else {
          disagrees = true
        }
      }
    case .groups:
      break
    }
    if !disagrees {
      secondReadDue = nil
    } else if secondReadDue == nil {
      secondReadDue = now + Self.secondRead
    }
    return take()
  }

  /// What one slot is by the table. What a rule decided about an id stays as long as the id does.
  private func presence(_ index: Int, by table: KernelTable) -> Slot.Presence {
    if table.trackingIDs[index] == slots[index].id {
      switch slots[index].presence {
      case .doubtful, .palm, .marked: return slots[index].presence
      case .absent, .touching, .hovering: break
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
    if index < table.toolTypes.count { slots[index].tool = table.toolTypes[index] }
    if index < table.distances.count { slots[index].distance = table.distances[index] }
    if table.trackingIDs[index] != slots[index].id {
      set(index, .absent, cause, at: now)
      slots[index].id = table.trackingIDs[index]
      slots[index].committedID = slots[index].id
    }
    set(index, after, cause, at: now)
  }

  /// BTN_TOUCH as the table has it: up with contacts on the glass makes them doubtful, down that nothing explains
  /// brings back what a rule had ended.
  private mutating func hear(_ button: Bool?, at now: Instant) {
    guard let button else { return }
    touchDown = button
    if button { explainTouchDown(at: now) } else { doubtAll(at: now) }
  }
}
