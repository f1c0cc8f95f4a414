import Foundation
import Testing
import Timeline
import TouchModel

/// What can happen to a device with two slots, one step at a time.
enum Step: CaseIterable {
  case down0, move0, up0, down1, up1, touchDown, touchUp, report, kernelRelease, drop
  /// The table is read: now, or 25 ms later.
  case verify, verifyLater
  case second
}

/// A device, the kernel's table of it, and a tracker that must not be wrong about it.
struct World: Hashable {
  struct Violation: Error {
    let words: String
  }

  private var now = Instant(nanoseconds: 1_000_000_000)
  private var tracker: ContactTracker
  private var kernel: SlotTable
  private var assembler = FrameAssembler()
  private var nextID: Int32 = 1
  private var midFrame = false
  private var isLost = false
  private var touchWentDown = false
  private var position: Int32 = 0
  /// The frame changes slot 0.
  private var moved = false
  /// According to the tracker's changes alone.
  private var live: Set<Contact> = []
  private var hasEnded: Set<Contact> = []
  /// Since when the tracker can know the slot's id for certain; nil in the middle of the frame that reports it.
  private var toldSince: [Instant?]
  /// Since when the tracker can know that BTN_TOUCH is up; nil while it is down according to frames.
  private var upSince: Instant?
  /// A stated rule may have ended the slot's contact though the kernel still has it: keys released by the kernel, or
  /// BTN_TOUCH up for two seconds.
  private var excused = [false, false]
  /// BTN_TOUCH was down while the slot's contact lived: BTN_TOUCH up ends it.
  private var pressed = [false, false]
  /// The contact was adopted after a loss, or its frame came 20 ms late, as if it had been withheld: BTN_TOUCH up may end
  /// it or not.
  private var late = [false, false]
  private var hasPressed = false
  /// When the table was first read in the frame that is being sent.
  private var firstReadInFrame: Instant?

  init(hasButton: Bool) {
    let profile = ScreenProfile(name: "model", touchProtocol: .typeB(slots: 2))
    tracker = ContactTracker(profile: profile)
    kernel = SlotTable(profile)
    toldSince = [now, now]
    upSince = now
    if hasButton { kernel.apply(Sent.touch(0).event(at: now)) }
  }

  private var ids: [Int32] { kernel.table.trackingIDs }

  /// Takes a step. False if the kernel would send nothing for it, so that a shorter sequence is equivalent.
  mutating func take(_ step: Step) throws(Violation) -> Bool {
    switch step {
    case .down0: try setID(0, nextID)
    case .down1: try setID(1, nextID)
    case .move0:
      if ids[0] == -1 || kernel.table.currentSlot != 0 { return false }
      position += 1
      moved = !isLost
      try send(.x(position))
    case .up0:
      if ids[0] == -1 { return false }
      try setID(0, -1)
    case .up1:
      if ids[1] == -1 { return false }
      try setID(1, -1)
    case .touchDown:
      if kernel.table.touchDown != false { return false }
      (touchWentDown, hasPressed) = (true, true)
      for slot in [0, 1] where ids[slot] != -1 { pressed[slot] = true }
      try send(.touch(1))
    case .touchUp:
      if kernel.table.touchDown != true { return false }
      upSince = upSince ?? now
      try send(.touch(0))
    case .report:
      if !midFrame && !isLost { return false }
      try report()
    case .kernelRelease:
      if kernel.table.touchDown != true { return false }
      try send(.touch(0))
      try send(.kernelReport)
      if !isLost { for slot in [0, 1] where ids[slot] != -1 { excused[slot] = true } }
      endFrame()
    case .drop:
      if isLost { return false }
      isLost = true
      moved = false
      try send(.dropped)
    case .verify:
      try verify()
    case .verifyLater:
      try pass(.milliseconds(25))
      try verify()
      toldSince = toldSince.map { $0 ?? now }
    case .second:
      try pass(.seconds(1))
    }
    return true
  }

  /// Ends the frame, reads twice, and again in each of three seconds: then the verdict must be right.
  mutating func close() throws(Violation) {
    if midFrame || isLost { try report() }
    for _ in 0...3 {
      try verify()
      try pass(.milliseconds(25))
      try verify()
      try pass(.milliseconds(975))
    }
    let touchDown = kernel.table.touchDown
    // BTN_TOUCH has been up for two seconds: what it was down for and the table still has is stale (rule 9).
    let standing = [0, 1].filter { ids[$0] != -1 && (touchDown == nil || !pressed[$0]) }
    let isSure = touchDown == true || standing.isEmpty || standing.contains { !late[$0] }
    let expected = touchDown == true || !standing.isEmpty
    if isSure && (tracker.verdict != .idle) != expected {
      throw Violation(words: "in the end it is \(tracker.verdict) with \(kernel.table)")
    }
  }

  private mutating func setID(_ slot: Int, _ id: Int32) throws(Violation) {
    if kernel.table.currentSlot != slot { try send(.slot(Int32(slot))) }
    try send(.id(id))
    if id != -1 { nextID += 1 }
    late[slot] = false
    pressed[slot] = id != -1 && kernel.table.touchDown == true
    excused[slot] = false
    toldSince[slot] = nil
  }

  private mutating func endFrame() {
    (midFrame, isLost, touchWentDown, moved, firstReadInFrame) = (false, false, false, false, nil)
    toldSince = toldSince.map { $0 ?? now }
    upSince = kernel.table.touchDown == true ? nil : upSince ?? now
  }

  private mutating func report() throws(Violation) {
    try send(.report)
    // New data of a contact that a rule had ended or doubted: it is there after all, and known from now on.
    if moved && ids[0] != -1 { (excused[0], toldSince[0]) = (false, nil) }
    let standing = [0, 1].filter { ids[$0] != -1 && !excused[$0] }
    // BTN_TOUCH 1 that nothing else explains brings back what a rule had ended.
    if touchWentDown && kernel.table.touchDown == true && standing.isEmpty { excused = [false, false] }
    endFrame()
    if tracker.verdict == .idle, let slot = [0, 1].first(where: { ids[$0] != -1 && !excused[$0] }) {
      throw Violation(words: "idle after a frame, with slot \(slot) in the table and no rule against it")
    }
    if tracker.verdict == .idle && kernel.table.touchDown == true {
      throw Violation(words: "idle after a frame, with BTN_TOUCH down")
    }
  }

  private mutating func send(_ sent: Sent) throws(Violation) {
    midFrame = true
    let event = sent.event(at: now)
    kernel.apply(event)
    guard let output = assembler.add(event) else { return }
    try follow(tracker.handle(output))
    if case .resync = output {
      (late, pressed) = (ids.map { $0 != -1 }, [false, false])
      try follow(tracker.adopt(kernel.table, at: now))
    }
  }

  private mutating func verify() throws(Violation) {
    if midFrame {
      firstReadInFrame = firstReadInFrame ?? now
      if hasPressed, let first = firstReadInFrame, now - first >= ContactTracker.secondRead {
        late = ids.map { $0 != -1 }
      }
    }
    let known = Set(ids.indices.map { Contact(slot: $0, id: ids[$0]) }.filter(hasEnded.contains))
    let changes = tracker.verify(kernel.table, at: now)
    try follow(changes)
    if midFrame || kernel.table.touchDown == true { return }
    for case .began(let contact, at: _) in changes where known.contains(contact) {
      throw Violation(words: "a read brought \(contact) back, which a rule had ended")
    }
  }

  private mutating func pass(_ time: Duration) throws(Violation) {
    let end = now + time
    while let due = tracker.nextDeadline, due <= end {
      if due < now { throw Violation(words: "a deadline stays in the past") }
      now = due
      try follow(tracker.timePassed(now))
      if tracker.nextDeadline == due { throw Violation(words: "a deadline is not met") }
    }
    now = end
    for slot in [0, 1] where ids[slot] != -1 && (pressed[slot] || late[slot]) {
      guard let upSince, let told = toldSince[slot] else { continue }
      if now - max(upSince, told) >= ContactTracker.doubt { excused[slot] = true }
    }
  }

  /// What must be true after every input: only what began ends, and the changes add up to the contacts.
  private mutating func follow(_ changes: [ContactChange]) throws(Violation) {
    for change in changes {
      switch change {
      case .began(let contact, at: _):
        if !live.insert(contact).inserted { throw Violation(words: "\(contact) began twice") }
      case .ended(let contact, _, at: _):
        hasEnded.insert(contact)
        if live.remove(contact) == nil { throw Violation(words: "\(contact) ended and had not begun") }
      case .activity, .stuck, .unstuck, .becameCertain, .becameUncertain:
        break
      }
    }
    if live != Set(tracker.contacts) {
      throw Violation(words: "the changes come to \(live), the contacts are \(tracker.contacts)")
    }
    if tracker.verdict == .idle && !live.isEmpty { throw Violation(words: "idle with \(live)") }
  }
}

/// Every sequence of steps up to a length, each completed and judged. Reports the shortest one that goes wrong.
struct ModelCheck {
  /// The number of different states that were judged.
  private(set) var worlds = 0
  private(set) var shortest: (steps: [Step], words: String)?
  private var path: [Step] = []
  /// States that were explored, by the number of steps that were left: other orders lead to the same state.
  private var seen: [Int: Set<World>] = [:]

  mutating func run(_ world: World, depth: Int) {
    guard seen[depth, default: []].insert(world).inserted else { return }
    worlds += 1
    do throws(World.Violation) {
      var closed = world
      try closed.close()
    } catch {
      blame(error)
      return
    }
    if depth == 0 { return }
    for step in Step.allCases {
      var next = world
      path.append(step)
      defer { path.removeLast() }
      do throws(World.Violation) {
        if try next.take(step) { run(next, depth: depth - 1) }
      } catch {
        blame(error)
      }
    }
  }

  private mutating func blame(_ violation: World.Violation) {
    if let shortest, shortest.steps.count <= path.count { return }
    shortest = (path, violation.words)
  }
}

/// All sequences of 6 steps from the start, and of 5 after other beginnings; `MODEL_CHECK_LENGTH=7` (`make model-check`)
/// makes them longer.
@Suite("Every short sequence of frames, reads, losses and pauses")
struct ModelCheckTests {
  static let length = ProcessInfo.processInfo.environment["MODEL_CHECK_LENGTH"].flatMap { Int($0) } ?? 6

  static let beginnings: [(name: String, steps: [Step], depth: Int)] = [
    ("nothing", [], length),
    ("two fingers", [.down0, .down1, .touchDown, .report], length - 1),
    ("two fingers whose keys the kernel released", [.down0, .down1, .touchDown, .report, .kernelRelease], length - 1),
  ]

  @Test("is never idle under a finger, and ends with the right verdict", arguments: beginnings)
  func withButton(_ name: String, _ steps: [Step], _ depth: Int) throws {
    try judge(World(hasButton: true), steps, depth)
  }

  @Test("does so if the device has no BTN_TOUCH, too", arguments: beginnings.prefix(2))
  func withoutButton(_ name: String, _ steps: [Step], _ depth: Int) throws {
    try judge(World(hasButton: false), steps.filter { $0 != .touchDown }, depth)
  }

  private func judge(_ start: World, _ steps: [Step], _ depth: Int) throws {
    var world = start
    for step in steps { #expect(try world.take(step)) }
    var check = ModelCheck()
    check.run(world, depth: depth)
    #expect(check.worlds > 1000)
    if let (steps, words) = check.shortest {
      Issue.record("after \(steps.map { "\($0)" }.joined(separator: ", ")): \(words)")
    }
  }
}
