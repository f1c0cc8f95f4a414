import ControlAPI

extension TouchInput {
  /// As replies show it.
  var snapshot: ScreensSnapshot {
    ScreensSnapshot(
      screens: screens,
      devices: devices.map {
        ControlAPI.DeviceView(screen: $0.screen, node: $0.node, name: $0.name, path: $0.path, health: $0.health)
      },
      sleepsSince: sleepsSince)
  }
}
