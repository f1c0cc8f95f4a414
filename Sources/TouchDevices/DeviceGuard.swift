import Gating
import Timeline

/// Which devices are grabbed around the start of a handler, when each is released, and what grabs led to.
public final class DeviceGuard {
  public private(set) var counts = GuardCounts()
  private let longest: Duration
  private var held: [DeviceID: CommitGuard] = [:]
  /// Grabbed for the start that is being decided.
  private(set) var fresh: Set<DeviceID> = []

  init(longest: Duration) { self.longest = longest }

  var devices: [DeviceID] { Array(held.keys) }
  var nextDeadline: Instant? { held.values.compactMap(\.nextDeadline).min() }

  func holds(_ device: DeviceID) -> Bool { held[device] != nil }

  // MARK: Inputs

  /// These devices are grabbed for the next start; some may have been before.
  func taken(_ devices: Set<DeviceID>, at now: Instant) {
    for device in devices { held[device, default: CommitGuard(longest: longest)].taken(at: now) }
    fresh = devices
    if !devices.isEmpty { counts.grabs += 1 }
  }

  /// Another process holds a device.
  func refused() { counts.busy += 1 }

  /// A contact began that no other process has seen begin.
  func swallowed() { counts.swallowed += 1 }

  /// The start was decided on.
  func decided() { fresh = [] }

  /// The start was called off.
  func aborted() { counts.aborts += 1 }

  /// The start was called off because of a touch on this device, which stays grabbed until the touch ends.
  func calledOff(_ device: DeviceID, at now: Instant) { held[device]?.calledOff(at: now) }

  func handlerEnded(at now: Instant) {
    for device in held.keys { held[device]?.handlerEnded(at: now) }
  }

  /// Non-nil: release the device now.
  func update(_ device: DeviceID, isDown: Bool, at now: Instant) -> CommitGuard.Release? {
    held[device]?.update(isDown: isDown, at: now)
  }

  func release(_ device: DeviceID) {
    held[device] = nil
    fresh.remove(device)
  }

  /// A device was released while something was down on it.
  func releasedOver() { counts.releasedOver += 1 }
}
