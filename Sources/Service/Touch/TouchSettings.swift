import DeviceRules
import TouchDevices

extension Configuration {
  /// What touchscreens and gates go by.
  var touchSettings: TouchSettings {
    TouchSettings(
      deviceRules: deviceRules, screens: screens, screenRules: screenRules, stuckAfter: stuckAfter, onStuck: onStuck,
      guardMax: guardMax)
  }
}
