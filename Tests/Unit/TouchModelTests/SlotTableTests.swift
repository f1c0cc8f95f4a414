import Testing
import Timeline
import TouchModel

@Suite("The slot table as a value")
struct SlotTableTests {
  private typealias Position = KernelTable.Position

  @Test("a new table has as many empty slots as the device, and no BTN_TOUCH")
  func fresh() {
    let table = DeviceUnderTest(.typeB(slots: 2)).kernel.table
    let nowhere = Position(x: 0, y: 0)
    #expect(
      table
        == KernelTable(
          trackingIDs: [-1, -1], toolTypes: [0, 0], distances: [0, 0], positions: [nowhere, nowhere], currentSlot: 0,
          touchDown: nil))
    #expect(DeviceUnderTest(.singleTouch).kernel.table == KernelTable(positions: [nowhere]))
  }

  @Test("every event changes it at once, also in the middle of a frame")
  func midFrame() {
    var device = DeviceUnderTest(.typeB(slots: 2))
    device.sendUnseen(.slot(1), .id(8), .tool(ToolType.palm), .distance(3), .touch(1), .x(70))
    device.sendUnseen(.event(type: EventType.abs, code: EventCode.positionY, value: 80))
    #expect(
      device.kernel.table
        == KernelTable(
          trackingIDs: [-1, 8], toolTypes: [0, 2], distances: [0, 3],
          positions: [.init(x: 0, y: 0), .init(x: 70, y: 80)],
          currentSlot: 1, touchDown: true))
    device.sendUnseen(.id(-1), .touch(0))
    #expect(device.kernel.table.trackingIDs == [-1, -1])
    #expect(device.kernel.table.touchDown == false)
    #expect(device.kernel.table.positions[1] == Position(x: 70, y: 80), "as they were left")
  }

  @Test("reports, losses and what does not concern touch do not change it")
  func others() {
    var device = DeviceUnderTest(.typeB(slots: 2))
    device.sendUnseen(.slot(1), .id(8), .touch(1))
    let before = device.kernel.table
    device.sendUnseen(
      .report, .kernelReport, .dropped, .group,
      .event(type: EventType.key, code: EventCode.buttonToolFinger, value: 0),
      .event(type: EventType.abs, code: EventCode.absX, value: 5),
      .event(type: 0x15, code: EventCode.trackingID, value: -1))
    #expect(device.kernel.table == before)
  }

  @Test("data of a slot that does not exist is ignored", arguments: [Int32(2), -1, .max, .min])
  func outOfRange(_ slot: Int32) {
    var device = DeviceUnderTest(.typeB(slots: 2))
    device.sendUnseen(.slot(slot), .id(8), .tool(2), .distance(1), .x(5))
    #expect(device.kernel.table.trackingIDs == [-1, -1])
    #expect(device.kernel.table.toolTypes == [0, 0])
    #expect(device.kernel.table.distances == [0, 0])
    #expect(device.kernel.table.positions == [Position(x: 0, y: 0), Position(x: 0, y: 0)])
    device.sendUnseen(.slot(0), .id(9))
    #expect(device.kernel.table.trackingIDs == [9, -1])
  }

  @Test("a device without slots has BTN_TOUCH and one position")
  func withoutSlots() {
    var device = DeviceUnderTest(.singleTouch)
    device.sendUnseen(
      .id(8), .touch(1), .event(type: EventType.abs, code: EventCode.absX, value: 5),
      .event(type: EventType.abs, code: EventCode.absY, value: 6))
    #expect(device.kernel.table == KernelTable(positions: [.init(x: 5, y: 6)], touchDown: true))
  }

  @Test("a repeated BTN_TOUCH is down")
  func autorepeat() {
    var device = DeviceUnderTest()
    device.sendUnseen(.touch(1), .touch(2))
    #expect(device.kernel.table.touchDown == true)
  }
}
