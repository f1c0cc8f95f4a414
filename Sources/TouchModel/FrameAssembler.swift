public import Timeline

/// Assembles events into frames. Lost events are an ordinary input, and so are frames that the kernel cut.
///
/// Rules, from the kernel's input core (drivers/input/input.c, evdev.c):
/// * SYN_REPORT with value 0 ends a frame.
/// * SYN_REPORT with value 1 comes from the kernel: after a key that it repeated (`BTN_TOUCH 2`), if a frame is longer than
///   its buffer, and if it releases the keys itself. Only the last one ends a frame; it is recognized by BTN_TOUCH 0.
///   Otherwise the frame continues until the next SYN_REPORT 0.
/// * After SYN_DROPPED everything up to the next SYN_REPORT is void; then the slot table must be read.
public struct FrameAssembler: Hashable, Sendable {
  /// What an event completed.
  public enum Output: Equatable, Sendable {
    case frame(Frame)
    /// Events were lost; nothing is known until `resync`.
    case lost(Instant)
    /// The loss has ended: read the slot table now.
    case resync(Instant)
  }

  /// Most updates in a frame. A longer one is treated as a loss, so that memory is bounded. A frame of the largest device
  /// (60 slots) has well under 1,000 updates.
  public static let longestFrame = 8192

  private enum State {
    case collecting
    case discarding
  }

  private var state = State.collecting
  private var updates: [Frame.Update] = []
  private var touchReleased = false
  /// When the kernel cut the frame that is being assembled, with SYN_REPORT 1; nil: it is not cut. If the rest of it is
  /// masked, its end never arrives: evdev drops empty frames.
  public private(set) var cutSince: Instant?

  public init() {}

  /// Discards an incomplete frame, before a slot table is read that includes it.
  public mutating func reset() {
    state = .collecting
    clear()
  }

  /// Adds an event. Returns what it completed, if anything.
  public mutating func add(_ event: InputEvent) -> Output? {
    switch (event.type, event.code) {
    case (EventType.syn, EventCode.synDropped):
      clear()
      state = .discarding
      return .lost(event.time)
    case (EventType.syn, EventCode.synReport):
      return report(event)
    default:
      return collect(event)
    }
  }

  /// Completes a cut frame whose rest did not arrive; nil if no frame is cut.
  public mutating func finishCutFrame(at time: Instant) -> Output? {
    guard cutSince != nil else { return nil }
    let frame = Frame(time: time, updates: updates, ending: .report)
    clear()
    return .frame(frame)
  }

  private mutating func report(_ event: InputEvent) -> Output? {
    switch state {
    case .discarding:
      state = .collecting
      return .resync(event.time)
    case .collecting:
      if event.value != 0 && !touchReleased {
        if !updates.isEmpty { cutSince = cutSince ?? event.time }
        return nil
      }
      let ending: Frame.Ending = event.value == 0 ? .report : .keysReleasedByKernel
      let frame = Frame(time: event.time, updates: updates, ending: ending)
      clear()
      return .frame(frame)
    }
  }

  private mutating func collect(_ event: InputEvent) -> Output? {
    switch state {
    case .discarding:
      return nil
    case .collecting:
      switch event.type {
      case EventType.key:
        if event.value == 2 { return nil }
        if event.code == EventCode.buttonTouch { touchReleased = event.value == 0 }
      case EventType.abs, EventType.syn:
        break
      default:
        return nil  // EV_MSC, EV_FF and unknown types do not concern contacts.
      }
      updates.append(.init(type: event.type, code: event.code, value: event.value))
      if updates.count <= Self.longestFrame { return nil }
      clear()
      state = .discarding
      return .lost(event.time)
    }
  }

  private mutating func clear() {
    updates.removeAll(keepingCapacity: true)
    touchReleased = false
    cutSince = nil
  }
}
