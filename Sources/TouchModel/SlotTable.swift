/// The kernel's state of a device as a value: each event is stored when it is written, also in mid-frame. For recordings
/// and tests it provides what EVIOCGMTSLOTS and EVIOCGKEY would return.
public struct SlotTable: Hashable, Sendable {
  /// What EVIOCGMTSLOTS and EVIOCGKEY would return now.
  public private(set) var table: KernelTable

  /// The table of a device that has sent nothing yet.
  public init(_ profile: ScreenProfile) {
    table = KernelTable()
    if case .typeB(slots: let count) = profile.touchProtocol {
      table.trackingIDs = Array(repeating: -1, count: count)
      table.toolTypes = Array(repeating: ToolType.finger, count: count)
      table.distances = Array(repeating: 0, count: count)
      table.positions = Array(repeating: .init(x: 0, y: 0), count: count)
    } else {
      table.positions = [.init(x: 0, y: 0)]
    }
  }

  /// Stores an event, as the kernel does when the driver sends it.
  public mutating func apply(_ event: InputEvent) {
    switch (event.type, event.code) {
    case (EventType.key, EventCode.buttonTouch):
      table.touchDown = event.value != 0
    case (EventType.abs, EventCode.slot):
      table.currentSlot = Int(event.value)
    case (EventType.abs, EventCode.positionX): move { $0.x = event.value }
    case (EventType.abs, EventCode.positionY): move { $0.y = event.value }
    case (EventType.abs, EventCode.absX) where table.trackingIDs.isEmpty: table.positions[0].x = event.value
    case (EventType.abs, EventCode.absY) where table.trackingIDs.isEmpty: table.positions[0].y = event.value
    case (EventType.abs, EventCode.trackingID):
      set(\.trackingIDs, event.value)
    case (EventType.abs, EventCode.toolType):
      set(\.toolTypes, event.value)
    case (EventType.abs, EventCode.distance):
      set(\.distances, event.value)
    default:
      break
    }
  }

  private mutating func move(_ change: (inout KernelTable.Position) -> Void) {
    guard table.positions.indices.contains(table.currentSlot) else { return }
    change(&table.positions[table.currentSlot])
  }

  private mutating func set(_ values: WritableKeyPath<KernelTable, [Int32]>, _ value: Int32) {
    guard table[keyPath: values].indices.contains(table.currentSlot) else { return }
    table[keyPath: values][table.currentSlot] = value
  }
}
