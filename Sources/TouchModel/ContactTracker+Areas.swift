public import Timeline

/// Ignored areas: a contact that begins inside does not count until it is outside; then it counts to its end.
///
/// Positions are masked, so a frame does not show where a contact begins. It is *unplaced* until the slot table is read in
/// the same wake-up; its positions are let through while it is inside.
extension ContactTracker {
  /// A contact has begun, and only the slot table shows where: `place` must follow.
  public var wantsPlacement: Bool { slots.contains { $0.presence == .unplaced || $0.unplacedTap != nil } }

  /// Decides about the contacts that have begun. `table`: read after the frames; nil if it cannot be read, then they count.
  public mutating func place(_ table: KernelTable?, at now: Instant) -> [ContactChange] {
    let table = table?.normalized
    for index in slots.indices {
      // The position of a contact that has ended is still in the table.
      if let time = slots[index].unplacedTap {
        slots[index].unplacedTap = nil
        if !isInside(index, table) { changes.append(.activity(at: time)) }
      }
      guard slots[index].presence == .unplaced else { continue }
      if let table, index < table.positions.count { slots[index].position = table.positions[index] }
      set(index, isInside(index, table) ? .ignored : .touching, .cancelled, at: slots[index].lastChange)
    }
    return take()
  }

  /// What a contact that the frame begins or changes is, with the areas considered.
  func standingInFrame(_ index: Int) -> Slot.Presence {
    let standing = slots[index].standing
    guard standing == .touching, !profile.ignoredAreas.isEmpty else { return standing }
    switch slots[index].presence {
    case .touching, .doubtful, .stuck, .marked: return .touching
    case .ignored: return isIgnored(slots[index].position) ? .ignored : .touching
    case .absent, .hovering, .palm, .unplaced: return .unplaced
    }
  }

  /// The same, according to a table.
  func standingInTable(_ index: Int, _ standing: Slot.Presence, _ table: KernelTable) -> Slot.Presence {
    guard standing == .touching, !profile.ignoredAreas.isEmpty else { return standing }
    let isSame = table.trackingIDs.indices.contains(index) && table.trackingIDs[index] == slots[index].id
    if isSame && slots[index].presence == .touching { return .touching }
    return index < table.positions.count && isIgnored(table.positions[index]) ? .ignored : .touching
  }

  /// A contact that ended before it was placed is decided about later.
  mutating func rememberTap(_ index: Int, at time: Instant) {
    if slots[index].presence == .unplaced { slots[index].unplacedTap = time }
  }

  private func isInside(_ index: Int, _ table: KernelTable?) -> Bool {
    guard let table, index < table.positions.count else { return false }
    if case .typeB = profile.touchProtocol {
      // Another contact has taken the slot: its position says nothing of this one.
      guard index < table.trackingIDs.count else { return false }
      if table.trackingIDs[index] != slots[index].id && table.trackingIDs[index] != -1 { return false }
    }
    return isIgnored(table.positions[index])
  }

  func isIgnored(_ position: KernelTable.Position?) -> Bool {
    guard let position else { return false }
    return profile.ignoredAreas.contains { $0.contains(position) }
  }
}
