import EventLoop
import ForceFeedback
import Haptics
import ServiceConfiguration
import Timeline

/// The haptics thread, started with the first device: a machine without haptics has one thread.
final class MotorOnDemand: FeedbackMotor {
  var received: ([MotorReport], Instant) -> Void = { _, _ in }
  private let loop: EventLoop
  private let settings: HapticsSettings
  private var thread: Vibrator?
  private var watch: Source?

  init(loop: EventLoop, settings: HapticsSettings) {
    self.loop = loop
    self.settings = settings
  }

  func start() throws {
    if thread != nil { return }
    let thread = try Vibrator(table: settings.table, strength: settings.strength)
    // Before requests, because an action waits for it.
    watch = try loop.watch(thread.descriptor, .children) { [unowned self] now in received(thread.receive(), now) }
    self.thread = thread
  }

  func send(_ command: MotorCommand) { thread?.send(command) }

  /// Returns false if the thread hangs in a system call.
  func end(within limit: Duration) -> Bool {
    watch = nil
    return thread?.stop(within: limit) ?? true
  }
}
