import ServiceConfiguration
import TouchDevices

extension Configuration {
  /// What applies to touchscreens and gates.
  var touchSettings: TouchSettings {
    TouchSettings(
      deviceRules: deviceRules, screens: screens, screenRules: screenRules, stuckAfter: stuckAfter, onStuck: onStuck,
      guardMax: guardMax)
  }
}
