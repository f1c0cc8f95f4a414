import CLibevdev
import CLinux
import Glibc
import Linux
import Recordings
import TouchModel

/// A device made through /dev/uinput; it is gone when this object is.
final class UinputDevice {
  /// `/dev/input/eventN`
  let node: String
  /// `/sys/devices/virtual/input/inputN`
  let sysfs: String

  private let descriptor: FileDescriptor
  private let handle: OpaquePointer

  /// Makes the device that `device` describes, without its force feedback (nobody here would answer uploads).
  init(_ device: RecordedDevice) throws(VirtualTouchError) {
    do throws(Errno) {
      descriptor = try FileDescriptor(opening: "/dev/uinput", O_RDWR)
    } catch {
      throw .cannotOpenUinput(errno: error.code)
    }
    let template = Self.template(device)
    defer { libevdev_free(template) }
    var made: OpaquePointer?
    let code = libevdev_uinput_create_from_device(template, descriptor.raw, &made)
    guard code == 0, let made, let node = libevdev_uinput_get_devnode(made),
      let sysfs = libevdev_uinput_get_syspath(made)
    else {
      if let made { libevdev_uinput_destroy(made) }
      throw .deviceRefused(name: device.name, errno: code < 0 ? -code : ENODEV)
    }
    handle = made
    self.node = String(cString: node)
    self.sysfs = String(cString: sysfs)
  }

  deinit { libevdev_uinput_destroy(handle) }

  /// Sends events in one write(2), as a driver sends a frame. The kernel drops what the device cannot send and axis
  /// values that did not change.
  func write(_ events: [RawEvent]) {
    let records = events.map { event in
      var record = input_event()
      record.type = event.type
      record.code = event.code
      record.value = event.value
      return record
    }
    records.withUnsafeBytes { bytes in
      do throws(Errno) {
        try descriptor.write(bytes)
      } catch {
        preconditionFailure("uinput does not take events for \(node): \(error)")
      }
    }
  }

  private static func template(_ device: RecordedDevice) -> OpaquePointer? {
    let template = libevdev_new()
    libevdev_set_name(template, device.name)
    libevdev_set_id_bustype(template, CInt(device.bustype))
    libevdev_set_id_vendor(template, CInt(device.vendor))
    libevdev_set_id_product(template, CInt(device.product))
    libevdev_set_id_version(template, CInt(device.version))
    for property in device.properties { libevdev_enable_property(template, CUnsignedInt(property)) }
    for key in device.keys {
      libevdev_enable_event_code(template, CUnsignedInt(EventType.key), CUnsignedInt(key), nil)
    }
    for (code, axis) in device.axes {
      var range = input_absinfo(
        value: 0, minimum: axis.minimum, maximum: axis.maximum, fuzz: axis.fuzz, flat: axis.flat,
        resolution: axis.resolution)
      libevdev_enable_event_code(template, CUnsignedInt(EventType.abs), CUnsignedInt(code), &range)
    }
    let repeatType = CUnsignedInt(EV_REP)
    if device.autorepeat {
      var milliseconds: CInt = 0  // uinput takes no times: the kernel repeats after 250 ms, each 33 ms
      for code in [REP_DELAY, REP_PERIOD] {
        libevdev_enable_event_code(template, repeatType, CUnsignedInt(code), &milliseconds)
      }
    }
    for (type, codes) in device.otherCodes where type != EventType.syn && type != EV_REP && type != EV_FF {
      for code in codes { libevdev_enable_event_code(template, CUnsignedInt(type), CUnsignedInt(code), nil) }
    }
    return template
  }
}
