import Recordings
import Timeline
import TouchModel

/// What one device sent, by frames, with the slot table at many of them, so that a trial can begin in the middle of a
/// touch.
final class Stream {
  let name: String
  let profile: ScreenProfile
  let hasTouchButton: Bool
  let hasAutorepeat: Bool
  /// The device presses BTN_TOUCH.
  let presses: Bool
  /// The first event is at 1,000 s of the clock of the trials.
  let events: [InputEvent]
  /// Each up to its SYN_REPORT 0; those with value 1 are within. What follows the last one is a frame, too.
  let frames: [Range<Int>]
  /// The table before frame 0, `snapshotStep`, 2 * `snapshotStep`, and so on.
  let snapshots: [SlotTable]
  /// Frames in which the last finger lifts: BTN_TOUCH 0 and a tracking id -1.
  let lifts: Set<Int>

  static let snapshotStep = 40

  init(name: String, profile: ScreenProfile, hasTouchButton: Bool, hasAutorepeat: Bool, events: [InputEvent]) {
    self.name = name
    self.profile = profile
    self.hasTouchButton = hasTouchButton
    self.hasAutorepeat = hasAutorepeat
    presses = events.contains { $0.type == EventType.key && $0.code == EventCode.buttonTouch && $0.value == 1 }
    let shift = Instant(nanoseconds: 1_000_000_000_000) - (events.first?.time ?? Instant(nanoseconds: 0))
    var moved = events
    var frames: [Range<Int>] = []
    var snapshots: [SlotTable] = []
    var lifts: Set<Int> = []
    var table = SlotTable(profile)
    var start = 0
    var (buttonUp, idEnded) = (false, false)
    for index in moved.indices {
      moved[index].time = moved[index].time + shift
      let event = moved[index]
      if index == start && frames.count % Self.snapshotStep == 0 { snapshots.append(table) }
      table.apply(event)
      if event.type == EventType.key && event.code == EventCode.buttonTouch { buttonUp = event.value == 0 }
      if event.type == EventType.abs && event.code == EventCode.trackingID { idEnded = event.value == -1 }
      if event.type == EventType.syn && event.code == EventCode.synReport && event.value == 0 {
        if buttonUp && idEnded { lifts.insert(frames.count) }
        frames.append(start..<index + 1)
        start = index + 1
        (buttonUp, idEnded) = (false, false)
      }
    }
    if start < moved.count { frames.append(start..<moved.count) }
    self.events = moved
    self.frames = frames
    self.snapshots = snapshots
    self.lifts = lifts
  }

  /// Why a recording cannot be played.
  enum Defect: Error {
    case noCompleteFrame
  }

  /// - Throws: why the recorded device is not a touchscreen, or `Defect`.
  convenience init(name: String, _ recording: Recording) throws {
    let device = recording.device
    let capabilities = ScreenProfile.Capabilities(
      name: device.name, properties: device.properties, keys: device.keys, axes: Set(device.axes.keys),
      slots: device.axes[EventCode.slot].map { Int($0.maximum) + 1 }, taggedTouchscreen: true)
    let isReport = { (event: InputEvent) in
      event.type == EventType.syn && event.code == EventCode.synReport && event.value == 0
    }
    guard recording.events.contains(where: isReport) else { throw Defect.noCompleteFrame }
    self.init(
      name: name, profile: try ScreenProfile(capabilities), hasTouchButton: device.keys.contains(EventCode.buttonTouch),
      hasAutorepeat: device.autorepeat, events: recording.events)
  }

  /// What a single-touch driver would have sent; nil without BTN_TOUCH.
  var asSingleTouch: Stream? {
    guard hasTouchButton else { return nil }
    return Stream(
      name: "\(name) as single touch", profile: ScreenProfile(name: profile.name, touchProtocol: .singleTouch),
      hasTouchButton: true, hasAutorepeat: hasAutorepeat,
      events: events.filter { $0.type != EventType.abs || $0.code < EventCode.slot })
  }

  /// What a virtual screen sends that has BTN_TOUCH and never presses it; nil without slots.
  var asVirtual: Stream? {
    guard hasTouchButton, case .typeB = profile.touchProtocol else { return nil }
    return Stream(
      name: "\(name) without presses", profile: profile, hasTouchButton: true, hasAutorepeat: false,
      events: events.filter { $0.type != EventType.key })
  }

  /// What a program sends that moves the pointer of a device with slots: BTN_TOUCH alone.
  var asButtonOnly: Stream? {
    guard hasTouchButton, case .typeB = profile.touchProtocol else { return nil }
    return Stream(
      name: "\(name) as BTN_TOUCH alone", profile: profile, hasTouchButton: true, hasAutorepeat: hasAutorepeat,
      events: events.filter { $0.type != EventType.abs || $0.code < EventCode.slot })
  }

  /// What a type A driver would have sent: all contacts in every frame, with BTN_TOUCH or without.
  func asTypeA(button: Bool) -> Stream {
    var made: [InputEvent] = []
    var table = SlotTable(profile)
    for event in events {
      table.apply(event)
      if button && event.type == EventType.key { made.append(event) }
      guard event.type == EventType.syn && event.code == EventCode.synReport else { continue }
      let contacts = table.table.trackingIDs.count { $0 != -1 }
      for contact in 0..<max(1, contacts) {
        if contact < contacts {
          made.append(
            InputEvent(time: event.time, type: EventType.abs, code: EventCode.positionX, value: Int32(contact)))
        }
        made.append(InputEvent(time: event.time, type: EventType.syn, code: EventCode.synMTReport, value: 0))
      }
      made.append(event)
    }
    return Stream(
      name: "\(name) as type A\(button ? " with BTN_TOUCH" : "")",
      profile: ScreenProfile(name: profile.name, touchProtocol: .typeA), hasTouchButton: button && hasTouchButton,
      hasAutorepeat: false, events: made)
  }
}
