import DeviceRules
import Evdev
public import ServiceConfiguration

extension Configuration {
  /// Differences between the `[Screen NAME]` sections and the touchscreens that are connected now, one line each. They are
  /// no errors, so that files can be checked on another machine. Empty if udev is unavailable.
  public func screenNotes() -> [String] {
    guard let found = try? DeviceMonitor().enumerate() else { return [] }
    let devices = found.filter {
      switch NodeVerdict($0.input, $0.udev, rules: deviceRules, isOverdue: true) {
      case .counts: true
      case .pending, .unreported, .leftOut: false
      }
    }.map(\.forRules)
    return screens.problems(with: devices)
  }
}
