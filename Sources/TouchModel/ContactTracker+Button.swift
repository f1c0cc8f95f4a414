import Timeline

/// What BTN_TOUCH shows beyond the slots.
///
/// * Down, and no slot explains it: that is one contact without a slot. Remote-control programs and pens on a shared node
///   send nothing else (ponty/framebuffer-vncserver#6, LibVNC/x11vnc#218). A slot explains it whatever its contact counts as.
/// * Up, with contacts in their slots: they are doubted, for panels whose driver never sends ABS_MT_TRACKING_ID -1
///   (lvgl#9829); but only those that it was down for, because some devices have BTN_TOUCH and never press it
///   (linux-surface/iptsd, games-on-whales/inputtino).
extension ContactTracker {
  /// Some slot or group is in use, as a contact or not.
  var isSlotInUse: Bool { slots.contains { $0.presence != .absent } }

  /// BTN_TOUCH is down: every contact of the moment lives with it.
  mutating func notePressed() {
    hasPressed = true
    for index in slots.indices where slots[index].presence != .absent { slots[index].wasPressed = true }
  }

  /// If BTN_TOUCH is down and no slot that counts explains it, the contacts that a rule had ended are there after all.
  mutating func explainTouchDown(at time: Instant) {
    let isExplained = slots.contains { $0.presence != .absent && !$0.presence.awaitsNews }
    guard touchDown == true, !isExplained else { return }
    for index in slots.indices where slots[index].presence.awaitsNews {
      set(index, slots[index].standing, .lifted, at: time)
    }
  }

  /// BTN_TOUCH 0: the remaining contacts that it was down for are doubted.
  mutating func doubtAll(at time: Instant) {
    for index in slots.indices where isDoubtable(index) {
      set(index, .doubtful(until: time + Self.doubt), .doubtful, at: time)
    }
  }

  func isDoubtable(_ index: Int) -> Bool {
    guard case .typeB = profile.touchProtocol, slots[index].presence.mayBeDoubted else { return false }
    // Where frames do not report BTN_TOUCH, it may have been down between two reads of the table.
    return slots[index].wasPressed || (hasPressed && profile.masksButton)
  }

  // MARK: The contact without a slot

  /// Begins or ends the contact without a slot. `isSure`: a complete frame, or a settled table, has shown BTN_TOUCH and
  /// the slots together.
  mutating func judgeSlotless(isSure: Bool, _ cause: EndCause, at time: Instant) {
    guard touchDown == true, !isSlotInUse else {
      setSlotless(.absent, isSlotInUse ? .replaced : cause, at: time)
      return
    }
    if slotless.presence == .absent {
      slotlessUnconfirmedSince = isSure ? nil : time
      setSlotless(.touching, cause, at: time)
    } else if isSure {
      slotlessUnconfirmedSince = nil
    }
  }

  mutating func setSlotless(_ presence: Slot.Presence, _ cause: EndCause, at time: Instant) {
    let old = slotless.presence
    slotless.presence = presence
    if presence == .absent {
      slotlessUnconfirmedSince = nil
      slotless.missingSince = nil
    }
    switch (old.isContact, presence.isContact) {
    case (true, false): changes.append(.ended(.slotless, cause, at: time))
    case (false, true):
      slotless.lastChange = time
      changes.append(.began(.slotless, at: time))
    case (true, true), (false, false): break
    }
  }
}
