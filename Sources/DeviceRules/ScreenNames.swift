/// The names of screens that neither the configuration nor udev names.
///
/// All nodes of one piece of hardware share a name: the name of the device, with a number if another piece of hardware,
/// or a section of the configuration, has the same name. Hardware that had a name before gets it again, so numbers do
/// not depend on the order in which devices are found.
struct ScreenNames: Sendable {
  private let reserved: Set<String>
  /// The name that hardware had before.
  private let remembered: [String: String]
  private var devices: [String: (hardware: String, screen: String)] = [:]

  /// `reserved`: names of sections of the configuration.
  init(reserved: Set<String>, remembered: [String: String] = [:]) {
    self.reserved = reserved
    self.remembered = remembered.filter { !reserved.contains($0.value) }
  }

  /// The name for a device that is `syspath`.
  func name(for device: String, hardware: String, syspath: String) -> String {
    let others = devices.filter { $0.key != syspath }.values
    if let sibling = others.filter({ $0.hardware == hardware }).map(\.screen).min() { return sibling }
    var taken = Set(others.map(\.screen)).union(reserved)
    if let former = remembered[hardware], !taken.contains(former) { return former }
    taken.formUnion(remembered.filter { $0.key != hardware }.values)
    if let present = devices[syspath]?.screen, !taken.contains(present) { return present }
    var name = Self.fitting(device, "")
    var number = 2
    while taken.contains(name) {
      name = Self.fitting(device, " \(number)")
      number += 1
    }
    return name
  }

  mutating func assign(_ screen: String, to syspath: String, hardware: String) {
    devices[syspath] = (hardware, screen)
  }

  mutating func release(_ syspath: String) { devices[syspath] = nil }

  /// The name with the suffix, in as many bytes as the name of a screen may have.
  private static func fitting(_ name: String, _ suffix: String) -> String {
    var name = name
    while name.utf8.count + suffix.utf8.count > ScreenRules.longestName { name.removeLast() }
    while name.last == " " { name.removeLast() }
    return name + suffix
  }
}
