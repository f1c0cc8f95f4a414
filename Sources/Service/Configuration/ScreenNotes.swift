import DeviceRules
import Evdev
import TouchDevices

extension Configuration {
  /// What the screens' sections say against the touchscreens that are here now; no mistakes of the files, so that they
  /// can be checked on another machine. Empty where udev cannot be asked.
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
