import DeviceRules
import Evdev
public import ServiceConfiguration
import TouchDevices

extension Configuration {
  /// Differences between the `[Screen NAME]` sections and the touchscreens that are connected now, one line each. They are
  /// no errors, so that files can be checked on another machine. Empty if udev is unavailable.
  public func screenNotes() -> [String] {
    guard let found = try? DeviceMonitor().enumerate() else { return [] }
    let devices = found.filter {
      switch DeviceRule.decide(deviceRules, on: $0.forRules) {
      case .touchscreen: true
      case .asTagged: $0.taggedTouchscreen && !$0.ignored
      case .ignored, .foreignSeat: false
      }
    }.map(\.forRules)
    return screens.problems(with: devices)
  }
}
