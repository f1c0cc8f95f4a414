public import DeviceRules
import Gating
public import Timeline
import TouchModel
import TouchReading

/// Views of the devices for replies and warnings.
extension TouchInput {
  /// A device as `status` shows it.
  public struct DeviceView: Equatable, Sendable {
    public let screen: String
    public let node: String
    /// Name that the kernel reports.
    public let name: String
    /// ID_PATH of udev.
    public let path: String
    /// `ok`, or what is wrong with it.
    public let health: String
  }

  /// Devices with a frame that the kernel cut and whose rest has not arrived yet, with the time of the cut. Nothing is
  /// decided until it arrives, at most 20 ms.
  public var cutFrames: [(device: String, since: Instant)] {
    attached.values.compactMap { device in
      device.reader.cutFrameDue.map { (device.name, $0 - ContactTracker.secondRead) }
    }
  }

  /// Warnings about devices that work but have a problem, one line each.
  public var warnings: [String] {
    attached.values.sorted { $0.node < $1.node }.flatMap { device -> [String] in
      var warnings: [String] = []
      let tracker = device.reader.tracker
      if tracker.stuckCount > 0 {
        warnings.append("screen '\(device.screen)': stuck contacts on \(device.node): \(tracker.stuckCount)")
      }
      if tracker.mayBeGrabbed {
        warnings.append("screen '\(device.screen)': another process has grabbed \(device.node); touches may be missed")
      }
      return warnings
    } + finder.discovery.problems
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
    let unreadable = finder.discovery.unreadable.map { screen, node in
      DeviceView(screen: screen, node: node.node, name: node.name, path: node.path, health: node.why)
    }
    return (open + unreadable).sorted { $0.node < $1.node }
  }

  /// All event nodes of the machine: which are adopted as touchscreens, and why.
  public var nodes: [DeviceDiscovery.NodeView] { finder.discovery.nodes }

  /// A node that looks like a touchscreen and that udev has not reported yet, since then. Until it does, at most 5 s,
  /// nothing must be decided.
  public var pendingNode: (node: InputNode, since: Instant)? { finder.discovery.pending }

  /// Screens whose state has been read, each with what identifies its hardware, if anything does.
  public var readScreens: [String: String?] {
    let read = attached.values.filter { device in
      switch screens.gates[device.screen]?.state {
      case .clear, .touched, .stuck: true
      case .unknown, nil: false
      }
    }
    return Dictionary(
      read.sorted { $0.node < $1.node }.map { ($0.screen, $0.hardware) }, uniquingKeysWith: { $0 ?? $1 })
  }
}
