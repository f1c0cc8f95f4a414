import Gating
import Scheduling
import Timeline
import TouchModel

/// The whole way from a finger to a handler, as values: tracker, gates and scheduler behind each other, the kernel's
/// table and the clock in the test's hand.
struct Kiosk {
  var bench: Bench
  private(set) var screens: Screens
  private var tracker = Kiosk.tracker()
  private var kernel: SlotTable
  private var assembler = FrameAssembler()
  private let device = DeviceID("/sys/devices/panel/input/input3")

  private static func tracker() -> ContactTracker {
    ContactTracker(profile: ScreenProfile(name: "Panel", touchProtocol: .typeB(slots: 4)))
  }

  /// `plugged`: with its screen from the start; else the machine waits for a first one.
  init(quiet: Duration = .zero, plugged: Bool = true) {
    bench = Bench(quiet: quiet)
    screens = Screens(at: at(0), rules: Screens.Rules(missingGrace: .zero))
    kernel = SlotTable(tracker.profile)
    if plugged { plug() }
    screens.enumerated(at: at(0))
    tell()
  }

  // MARK: The screen

  mutating func plug() {
    tracker = Self.tracker()
    screens.deviceAdded(device, name: "Panel", screen: "Panel", at: bench.now)
    follow(tracker.adopt(kernel.table, at: bench.now))
    screens.deviceReady(device, screen: "Panel", at: bench.now)
    tell()
  }

  mutating func unplug() {
    screens.deviceGone(device, screen: "Panel", at: bench.now)
    tell()
  }

  /// A frame of one slot: an id, or -1.
  mutating func finger(_ slot: Int32, _ id: Int32) {
    for event in events(slot, id) + [event(EventType.syn, EventCode.synReport, 0)] { feed(event) }
    tell()
  }

  /// Only the kernel's table knows: the event is lost, or another process got it.
  mutating func fingerUnseen(_ slot: Int32, _ id: Int32) {
    for event in events(slot, id) { kernel.apply(event) }
  }

  /// SYN_DROPPED; the snapshot comes with `snapshot`.
  mutating func loseEvents() {
    feed(event(EventType.syn, EventCode.synDropped, 0))
    tell()
  }

  mutating func snapshot() {
    feed(event(EventType.syn, EventCode.synReport, 0))
    follow(tracker.adopt(kernel.table, at: bench.now))
    tell()
  }

  // MARK: Time

  mutating func pass(until seconds: Double) {
    while let due = deadline, due <= at(seconds) { wake(max(due, bench.now)) }
    wake(at(seconds))
  }

  private var deadline: Instant? {
    [bench.scheduler.nextDeadline, screens.nextDeadline, tracker.nextDeadline, tracker.secondReadDue]
      .compactMap { $0 }.min()
  }

  /// One wake-up, as the service does it: touch first, then the scheduler, which may look.
  private mutating func wake(_ now: Instant) {
    let looks = [bench.scheduler.nextDeadline, tracker.secondReadDue].contains { $0.map { $0 <= now } ?? false }
    bench.sleep(until: now)
    if looks { follow(tracker.verify(kernel.table, at: now)) }
    follow(tracker.timePassed(now))
    screens.timePassed(now)
    tell()
    bench.wake()
  }

  // MARK: Inside

  private func event(_ type: UInt16, _ code: UInt16, _ value: Int32) -> InputEvent {
    InputEvent(time: bench.now, type: type, code: code, value: value)
  }

  private func events(_ slot: Int32, _ id: Int32) -> [InputEvent] {
    [event(EventType.abs, EventCode.slot, slot), event(EventType.abs, EventCode.trackingID, id)]
  }

  private mutating func feed(_ event: InputEvent) {
    kernel.apply(event)
    if let output = assembler.add(event) { follow(tracker.handle(output)) }
  }

  private mutating func follow(_ changes: [ContactChange]) {
    for change in changes { screens.handle(change, of: device, screen: "Panel", at: bench.now) }
  }

  private mutating func tell() {
    let states = screens.gates.mapValues { gate -> GateState in
      switch gate.state {
      case .clear(let since): .clear(since: since)
      case .touched(let contacts, let since), .stuck(let contacts, let since):
        .blocked(Blocker(code: .touched, since: since, contacts: contacts, clears: .contactsEnd))
      case .unknown(_, let since): .blocked(Blocker(code: .unknown, since: since, clears: .screenIsRead))
      }
    }
    bench.world = Dictionary(uniqueKeysWithValues: states.map { (.screen($0.key), $0.value) })
    switch screens.machine {
    case .clear(let since): bench.world[.machine] = .clear(since: since)
    case .starting(let since), .noScreenYet(let since, until: _), .noScreen(let since):
      bench.world[.machine] = .blocked(Blocker(code: .unknown, since: since, clears: .screenIsFound(orAt: nil)))
    }
    bench.tell()
  }
}
