import CLinux
import Glibc
import Linux
public import TouchModel

/// The slot table: EVIOCGMTSLOTS, EVIOCGABS and EVIOCGKEY, each atomic, together not.
extension TouchDevice {
  public func table() -> KernelTable? {
    var table = KernelTable()
    if case .typeB(slots: let count) = profile.touchProtocol {
      guard let ids = slotValues(EventCode.trackingID, count) else { return nil }
      table.trackingIDs = ids
      if hasToolType { table.toolTypes = slotValues(EventCode.toolType, count) ?? [] }
      if hasDistance { table.distances = slotValues(EventCode.distance, count) ?? [] }
      if let x = slotValues(EventCode.positionX, count), let y = slotValues(EventCode.positionY, count) {
        table.positions = zip(x, y).map { KernelTable.Position(x: $0, y: $1) }
      }
      guard let slot = axis(EventCode.slot) else { return nil }
      table.currentSlot = Int(slot)
    } else if let x = axis(EventCode.absX), let y = axis(EventCode.absY) {
      table.positions = [KernelTable.Position(x: x, y: y)]
    }
    if hasTouchButton {
      var keys = [UInt8](repeating: 0, count: 96)
      guard tg_evdev_keys(asking.raw, &keys, UInt32(keys.count)) >= 0 else { return nil }
      table.touchDown = keys[Int(profile.button) / 8] >> (profile.button % 8) & 1 == 1
    }
    return table
  }

  /// The value of an axis; nil if the device has no such axis, or is gone.
  private func axis(_ code: UInt16) -> Int32? {
    var info = input_absinfo()
    return tg_evdev_abs(asking.raw, UInt32(code), &info) == 0 ? info.value : nil
  }

  private func slotValues(_ code: UInt16, _ count: Int) -> [Int32]? {
    var values = [CInt](repeating: 0, count: count + 1)
    values[0] = CInt(code)
    guard tg_evdev_mt_slots(asking.raw, &values, UInt32(values.count)) >= 0 else { return nil }
    return Array(values.dropFirst())
  }
}
