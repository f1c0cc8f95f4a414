import CLinux
import Glibc
public import Haptics
import Linux
import Timeline

/// The thread that makes all system calls on the device, because each can block for 30 s in the kernel. Values go in
/// and out through mailboxes; nothing else is shared.
public final class Vibrator: FeedbackMotor {
  public struct CannotStart: Error, CustomStringConvertible {
    public let description: String
  }

  private let orders: Mailbox<VibratorWork.Order>
  private let reports: Mailbox<VibratorWork.Report>

  /// `strength`: 0 to 1, by which all pulses are scaled. Signals must be blocked already; the thread inherits that.
  public init(table: PatternTable, strength: Double) throws(CannotStart) {
    do throws(VibratorError) {
      orders = try Mailbox()
      reports = try Mailbox()
    } catch {
      throw CannotStart(description: "\(error)")
    }
    let start = Start(orders: orders, reports: reports, table: table, strength: strength)
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(start)
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, retained.toOpaque())
    if code != 0 {
      retained.release()
      throw CannotStart(description: "cannot start the haptics thread: \(Errno(code))")
    }
    pthread_detach(thread)
  }

  public func send(_ command: MotorCommand) { orders.put(.command(command)) }

  /// Readable when `receive` has reports to return.
  public var descriptor: CInt { reports.doorbell }

  public func receive() -> [MotorReport] {
    reports.take().compactMap { if case .motor(let report) = $0 { report } else { nil } }
  }

  /// Stops the pulses, closes the device and ends the thread; waits at most the given time. Returns false if the thread
  /// hangs in a system call; it then holds no descriptor of the process except the device.
  public func stop(within limit: Duration) -> Bool {
    orders.put(.quit)
    let end = SystemClock.monotonic + limit
    while true {
      if reports.take().contains(where: { if case .ended = $0 { true } else { false } }) { return true }
      if SystemClock.monotonic >= end { return false }
      reports.wait(until: end)
    }
  }

  /// The arguments of the thread.
  private final class Start: Sendable {
    let orders: Mailbox<VibratorWork.Order>
    let reports: Mailbox<VibratorWork.Report>
    let table: PatternTable
    let strength: Double

    init(
      orders: Mailbox<VibratorWork.Order>, reports: Mailbox<VibratorWork.Report>, table: PatternTable, strength: Double
    ) {
      self.orders = orders
      self.reports = reports
      self.table = table
      self.strength = strength
    }

    func run() {
      let (low, high) = (min(orders.doorbell, reports.doorbell), max(orders.doorbell, reports.doorbell))
      _ = tg_own_descriptors(low, high)
      var work = VibratorWork(table: table, strength: strength) { [reports] in reports.put(.motor($0)) }
      while true {
        orders.wait()
        for order in orders.take() {
          switch order {
          case .command(let command): work.perform(command)
          case .quit:
            work.perform(.release)
            reports.put(.ended)
            return
          }
        }
      }
    }
  }
}
