import DeviceRules
import Evdev
import EventLoop
import ForceFeedback
import Haptics
import Linux
import ServiceConfiguration
import ServiceLog
import Timeline
import TouchDevices

/// Haptics in the service: the device that vibrates, the thread that makes its system calls, and the pending calls.
final class FeedbackDesk {
  /// How long the service waits for the thread when it stops: enough to stop a pulse.
  private static let stopLimit: Duration = .milliseconds(100)

  let feedback: Feedback
  private let settings: HapticsSettings
  private let loop: EventLoop
  private let log: Log
  private let motor: MotorOnDemand
  private var monitor: DeviceMonitor?
  private var watch: Source?
  private var candidates: [String: MotorChoice.Candidate] = [:]
  /// The properties that `Device=` matches, by syspath.
  private var descriptions: [String: DeviceRule.Device] = [:]
  /// Paths of touchscreens, by syspath.
  private var touchscreens: [String: String] = [:]
  private var choice = MotorChoice.none("")
  private var told: String?

  init(loop: EventLoop, log: Log, settings: HapticsSettings) {
    self.loop = loop
    self.log = log
    self.settings = settings
    motor = MotorOnDemand(loop: loop, settings: settings)
    feedback = Feedback(lead: settings.lead, motor: motor) { SystemClock.monotonic }
  }

  /// Starts to watch devices, then reads those that are present. A failure only disables haptics.
  func start() {
    motor.received = { [unowned self] reports, now in
      for report in reports { feedback.received(report) }
      tell()
    }
    if settings.device == .none { return feedback.useNone(because: "Device=none") }
    if settings.strength == 0 { return feedback.useNone(because: "Strength=0") }
    do {
      let monitor = try DeviceMonitor()
      self.monitor = monitor
      watch = try loop.watch(monitor.descriptor, .requests) { [unowned self] now in
        // What is left wakes the service again.
        for _ in 0..<64 {
          guard let event = monitor.receive() else { break }
          hear(event)
        }
        choose()
      }
      for found in monitor.enumerate() { hear(.present(found)) }
      choose()
    } catch {
      feedback.useNone(because: "\(error)")
    }
  }

  /// Runs the action together with the pulse, at most 20 ms later; immediately if there is no kind or no device.
  func withPulse(_ kind: FeedbackKind?, _ now: Instant, _ action: @escaping (Instant) -> Void) {
    guard let kind else { return action(now) }
    feedback.play(kind, lead: .zero) { _ in action(SystemClock.monotonic) }
  }

  /// Prepares kinds that will probably be called soon, so that they need no lead.
  func prepare(_ kinds: Set<FeedbackKind>) {
    for kind in kinds { feedback.prepare(kind) }
  }

  /// Prepares the kind that is played if a handler fails, while the handler runs.
  func prepare(_ kind: FeedbackKind, for timeout: Duration) {
    feedback.prepare(kind, for: min(timeout, .seconds(600)))
  }

  /// Runs the waiting actions. Later calls run theirs immediately.
  func stop() { feedback.stop() }

  /// Stops pulses that still play, and ends the thread. Called last.
  func end() {
    if !motor.end(within: Self.stopLimit) {
      log.warning("haptics: a system call on \(deviceName ?? "the device") hangs in the kernel, for at most 30 s")
    }
  }

  /// The name of the chosen device; nil if there is none.
  var deviceName: String? { if case .chosen(let device) = choice { device.name } else { nil } }

  /// A warning for the administrator if a device is present or configured and does not vibrate.
  var warnings: [String] {
    guard isExpected, let reason = feedback.silentBecause else { return [] }
    return ["haptics are silent: \(reason)"]
  }

  /// False on a machine without haptics, which needs no warning.
  private var isExpected: Bool {
    switch settings.device {
    case .none: false
    case .named: settings.strength > 0
    case .automatic: settings.strength > 0 && !candidates.isEmpty
    }
  }

  var nextDeadline: Instant? { feedback.nextDeadline }

  func timePassed(_ now: Instant) {
    feedback.timePassed(now)
    tell()
  }

  private func hear(_ event: DeviceMonitor.Event) {
    switch event {
    case .gone(let syspath):
      candidates[syspath] = nil
      touchscreens[syspath] = nil
    case .overflowed:
      let present = monitor?.enumerate() ?? []
      for syspath in Set(candidates.keys).union(touchscreens.keys).subtracting(present.map(\.syspath)) {
        hear(.gone(syspath: syspath))
      }
      for found in present { hear(.present(found)) }
    case .present(let found):
      if found.taggedTouchscreen { touchscreens[found.syspath] = found.idPath }
      let codes = MotorDescription.codes(sysfs: found.forceFeedback)
      if found.udev.ignored || codes.isEmpty { return }
      let candidate = MotorChoice.Candidate(
        id: found.syspath, node: found.node, name: found.name, path: found.idPath, codes: codes)
      candidates[found.syspath] = candidate
      descriptions[found.syspath] = found.forRules
      // Its permissions may have changed, or it has resumed.
      if choice == .chosen(candidate) { feedback.mayWorkAgain() }
    }
  }

  private func choose() {
    var wanted: ((MotorChoice.Candidate) -> Bool)?
    if case .named(let rule) = settings.device {
      wanted = { [descriptions] in descriptions[$0.id].map(rule.matches) ?? false }
    }
    let all = candidates.values.sorted { $0.node < $1.node }
    let choice = MotorChoice(all, touchscreens: Set(touchscreens.values), wanted: wanted)
    if choice == self.choice { return }
    self.choice = choice
    switch choice {
    case .chosen(let device):
      do {
        try motor.start()
        feedback.use(node: device.node)
        log.info("haptics: \(device.name) (\(device.node))")
      } catch {
        feedback.useNone(because: "\(error)")
      }
    case .none(let reason):
      feedback.useNone(because: reason)
    }
    tell()
  }

  /// Logs each change of the reason once.
  private func tell() {
    let reason = isExpected ? feedback.silentBecause : nil
    if reason == told { return }
    told = reason
    if let reason { log.warning("haptics are silent: \(reason)") }
  }
}
