public import Timeline

/// Events in, whole frames out. Losing events is an ordinary input here, and so is a frame that the kernel cut.
///
/// Rules, from the kernel's input core (drivers/input/input.c, evdev.c):
/// * SYN_REPORT with value 0 ends a frame.
/// * SYN_REPORT with value 1 is made by the kernel: after a key that it repeated (`BTN_TOUCH 2`), where a frame is
///   longer than its buffer, and where it releases the keys itself. Only the last one means something: BTN_TOUCH 0 in
///   it. Otherwise the frame goes on up to the next SYN_REPORT 0.
/// * After SYN_DROPPED everything up to the next SYN_REPORT is void; then the kernel's table must be read.
public struct FrameAssembler: Hashable, Sendable {
  public enum Output: Equatable, Sendable {
    case frame(Frame)
    /// Events were lost; nothing more is known until `resync`.
    case lost(Instant)
    /// The loss is over: read the kernel's table now.
    case resync(Instant)
  }

  /// A frame of the largest device (60 slots) has well under 1,000 updates; one that never ends is cut off here and
  /// treated as a loss, so that a mad device costs bounded memory.
  public static let longestFrame = 8192

  private enum State {
    case collecting
    case discarding
  }

  private var state = State.collecting
  private var updates: [Frame.Update] = []
  private var touchReleased = false
  /// Since when a frame is open that the kernel cut with SYN_REPORT 1; nil: none is. Where the rest of it is masked, its
  /// end never comes: evdev drops empty frames.
  public private(set) var cutSince: Instant?

  public init() {}

  /// Forgets a frame that has begun: before a snapshot that will tell everything.
  public mutating func reset() {
    state = .collecting
    clear()
  }

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

  /// Ends a cut frame of which nothing more came for a while.
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
        return nil  // EV_MSC, EV_FF and what is not known say nothing about contacts.
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
