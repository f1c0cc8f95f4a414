import Gating

/// The names of screens that neither the configuration nor udev names.
///
/// All nodes of one piece of hardware share a name: the name of the device, with a number if another piece of hardware,
/// or a section of the configuration, has the same name.
struct ScreenNames {
  private let reserved: Set<String>
  private var devices: [DeviceID: (hardware: String, screen: String)] = [:]

  /// `reserved`: names of sections of the configuration.
  init(reserved: Set<String>) { self.reserved = reserved }

  func name(for device: String, hardware: String) -> String {
    if let sibling = devices.values.first(where: { $0.hardware == hardware }) { return sibling.screen }
    let taken = Set(devices.values.map(\.screen)).union(reserved)
    var name = device
    var number = 2
    while taken.contains(name) {
      name = "\(device) \(number)"
      number += 1
    }
    return name
  }

  mutating func assign(_ screen: String, to id: DeviceID, hardware: String) { devices[id] = (hardware, screen) }
  mutating func release(_ id: DeviceID) { devices[id] = nil }
}
