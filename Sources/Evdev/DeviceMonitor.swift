import CLibudev
import Glibc

/// Finds input devices through udev, and reports those that are added and removed.
///
/// The monitor starts before the enumeration, so that no device is missed between them. A device that is reported twice
/// has the same syspath.
public final class DeviceMonitor {
  /// A device node as udev describes it. A node is reported after udev has finished initializing it.
  public struct Found: Equatable, Sendable {
    public let syspath: String
    public let node: String
    /// As the kernel names it; known without opening it.
    public let name: String
    /// ID_PATH, or the path of the parent device: stays the same across replugging at the same port.
    public let idPath: String
    /// ID_SEAT; `seat0` if udev sets none.
    public let seat: String
    public var taggedTouchscreen: Bool
    /// `vendor:product` in hexadecimal, as lsusb prints it.
    public let identity: String
    /// `capabilities/ff` of sysfs: its force feedback effects, as the kernel writes bitmaps; `0`: none.
    public let forceFeedback: String
    public var hasForceFeedback: Bool { forceFeedback.contains { $0 != "0" && $0 != " " } }
    /// Tagged as something else: touchpad, mouse, keyboard, tablet, joystick.
    public let taggedOther: Bool
    /// TOUCHGATE_SCREEN: the screen that it belongs to; nil: not set.
    public let screen: String?
    /// LIBINPUT_IGNORE_DEVICE or TOUCHGATE_IGNORE is set.
    public let ignored: Bool
  }

  public enum Event: Equatable, Sendable {
    case present(Found)
    case gone(syspath: String)
  }

  private let udev: OpaquePointer
  private let monitor: OpaquePointer

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
    while let device = udev_monitor_receive_device(monitor) {
      defer { udev_device_unref(device) }
      guard let name = text(udev_device_get_sysname(device)), name.hasPrefix("event"),
        let syspath = text(udev_device_get_syspath(device))
      else { continue }
      if text(udev_device_get_action(device)) == "remove" { return .gone(syspath: syspath) }
      if let found = describe(device) { return .present(found) }
    }
    return nil
  }

  private func describe(_ device: OpaquePointer) -> Found? {
    guard let syspath = text(udev_device_get_syspath(device)), let node = text(udev_device_get_devnode(device))
    else { return nil }
    func property(_ name: String) -> String? { text(udev_device_get_property_value(device, name)) }
    let others = ["TOUCHPAD", "MOUSE", "KEYBOARD", "TABLET", "JOYSTICK", "ACCELEROMETER"]
    // Parents belong to the device and are not unreferenced. The input device's own parent is the hardware, so that
    // all nodes of one piece of hardware share it.
    let input = udev_device_get_parent_with_subsystem_devtype(device, "input", nil)
    let hardware = input.flatMap { udev_device_get_parent($0) } ?? input
    func attribute(_ name: String) -> String? { input.flatMap { text(udev_device_get_sysattr_value($0, name)) } }
    return Found(
      syspath: syspath, node: node,
      name: attribute("name") ?? node,
      idPath: property("ID_PATH") ?? hardware.flatMap { text(udev_device_get_devpath($0)) } ?? "",
      seat: property("ID_SEAT") ?? "seat0",
      taggedTouchscreen: property("ID_INPUT_TOUCHSCREEN") == "1",
      identity: "\(attribute("id/vendor") ?? ""):\(attribute("id/product") ?? "")",
      forceFeedback: attribute("capabilities/ff") ?? "0",
      taggedOther: others.contains { property("ID_INPUT_\($0)") == "1" },
      screen: property("TOUCHGATE_SCREEN"),
      ignored: [property("LIBINPUT_IGNORE_DEVICE"), property("TOUCHGATE_IGNORE")].contains { $0 != nil && $0 != "0" })
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
  }
}
