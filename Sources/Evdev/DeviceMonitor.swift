import CLibudev
public import DeviceRules
import Glibc

/// Finds input devices through udev, and reports those that are added and removed.
///
/// The monitor starts before the enumeration, so that no device is missed between them. A device that is reported twice
/// has the same syspath.
public final class DeviceMonitor {
  /// A device node as udev describes it. A node is reported after udev has finished initializing it.
  public struct Found: Equatable, Sendable {
    public let input: InputNode
    public let udev: UdevReport
    /// `capabilities/ff` of sysfs: its force feedback effects, as the kernel writes bitmaps; `0`: none.
    public let forceFeedback: String

    public var syspath: String { input.syspath }
    public var node: String { input.node }
    public var name: String { input.name }
    /// ID_PATH, or the path of the parent device: stays the same across replugging at the same port.
    public var idPath: String { udev.idPath ?? input.path }
    public var taggedTouchscreen: Bool { udev.tags.contains(.touchscreen) }
    /// As rules of the configuration see it.
    public var forRules: DeviceRule.Device { input.forRules(udev) }
  }

  public enum Event: Equatable, Sendable {
    case present(Found)
    case gone(syspath: String)
    /// The kernel had no room for further events, and dropped some: enumerate again.
    case overflowed
  }

  private let udev: OpaquePointer
  private let monitor: OpaquePointer
  private let reader = SysfsReader()

  public init() throws(EvdevError) {
    guard let udev = udev_new() else { throw EvdevError("udev", errno) }
    guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else {
      let code = errno
      udev_unref(udev)
      throw EvdevError("udev monitor", code)
    }
    self.udev = udev
    self.monitor = monitor
    udev_monitor_filter_add_match_subsystem_devtype(monitor, "input", nil)
    let result = udev_monitor_enable_receiving(monitor)
    if result < 0 { throw EvdevError("udev monitor", -result) }
  }

  deinit {
    udev_monitor_unref(monitor)
    udev_unref(udev)
  }

  /// Becomes readable when `receive` has something.
  public var descriptor: CInt { udev_monitor_get_fd(monitor) }

  /// All event nodes that are present now.
  public func enumerate() -> [Found] {
    guard let enumeration = udev_enumerate_new(udev) else { return [] }
    defer { udev_enumerate_unref(enumeration) }
    udev_enumerate_add_match_subsystem(enumeration, "input")
    udev_enumerate_add_match_sysname(enumeration, "event*")
    udev_enumerate_add_match_is_initialized(enumeration)
    udev_enumerate_scan_devices(enumeration)
    var found: [Found] = []
    var entry = udev_enumerate_get_list_entry(enumeration)
    while let current = entry {
      if let path = udev_list_entry_get_name(current), let device = udev_device_new_from_syspath(udev, path) {
        if let description = describe(device) { found.append(description) }
        udev_device_unref(device)
      }
      entry = udev_list_entry_get_next(current)
    }
    return found
  }

  /// The next event; nil if there is none now.
  public func receive() -> Event? {
    while true {
      errno = 0
      guard let device = udev_monitor_receive_device(monitor) else { return errno == ENOBUFS ? .overflowed : nil }
      defer { udev_device_unref(device) }
      guard let name = text(udev_device_get_sysname(device)), NodeWatch.isEventNode(name),
        let syspath = text(udev_device_get_syspath(device))
      else { continue }
      if text(udev_device_get_action(device)) == "remove" { return .gone(syspath: syspath) }
      if let found = describe(device) { return .present(found) }
    }
  }

  /// Nil if the device is gone: then its `remove` follows.
  private func describe(_ device: OpaquePointer) -> Found? {
    guard let syspath = text(udev_device_get_syspath(device)), let node = text(udev_device_get_devnode(device)),
      let input = reader.describe(syspath: syspath, node: node)
    else { return nil }
    func property(_ name: String) -> String? { text(udev_device_get_property_value(device, name)) }
    let tags = UdevReport.Tag.allCases.filter { property("ID_INPUT_\($0.rawValue)") == "1" }
    return Found(
      input: input,
      udev: UdevReport(
        tags: Set(tags), idPath: property("ID_PATH"), seat: property("ID_SEAT") ?? "seat0",
        screen: property("TOUCHGATE_SCREEN"),
        ignored: [property("LIBINPUT_IGNORE_DEVICE"), property("TOUCHGATE_IGNORE")].contains {
          $0 != nil && $0 != "0"
        }), forceFeedback: reader.forceFeedback(syspath: syspath))
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
  }
}
