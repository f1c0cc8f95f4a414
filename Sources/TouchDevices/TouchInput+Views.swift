import Gating
public import Timeline
import TouchModel
import TouchReading

/// What others see of the devices.
extension TouchInput {
  /// A device as an administrator sees it.
  public struct DeviceView: Equatable, Sendable {
    public let screen: String
    public let node: String
    /// As the kernel names it.
    public let name: String
    /// ID_PATH of udev.
    public let path: String
    /// `ok`, or what is wrong with it.
    public let health: String
  }

  /// Devices that have a frame which the kernel cut and whose rest has not arrived yet, with the time of the cut. Until
  /// it does, at most 20 ms, nothing must be decided.
  public var cutFrames: [(device: String, since: Instant)] {
    attached.values.compactMap { device in
      device.reader.cutFrameDue.map { (device.name, $0 - ContactTracker.secondRead) }
    }
  }

  /// Problems of devices that do work, one line each.
  public var warnings: [String] {
    attached.values.sorted { $0.node < $1.node }.flatMap { device -> [String] in
      var warnings: [String] = []
      let tracker = device.reader.tracker
      if tracker.stuckCount > 0 {
        warnings.append("\(tracker.stuckCount) contacts on \(device.screen) (\(device.node)) are stuck")
      }
      if tracker.mayBeGrabbed {
        warnings.append("\(device.screen) (\(device.node)) is grabbed by another process; its state is sampled")
      }
      return warnings
    } + discovery.problems
      + screens.absences.keys.sorted().map { "screen '\($0)' is missing" }
      + (screens.isWithoutAny ? ["no touchscreen was found; updates are applied without one (OnNoScreen=apply)"] : [])
  }

  /// All touchscreens, also those that cannot be read, by node.
  public var devices: [DeviceView] {
    let open = attached.values.map {
      DeviceView(
        screen: $0.screen, node: $0.node, name: $0.name, path: $0.idPath,
        health: $0.reader.isAwaitingTable ? "its state is being read" : "ok")
    }
    return (open + discovery.views).sorted { $0.node < $1.node }
  }
}
