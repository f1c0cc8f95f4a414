import SystemBus
import Timeline

/// Logind's signal before and after a sleep (org.freedesktop.login1(5)), and the lock that makes it wait for us: at most
/// InhibitDelayMaxSec= of logind.conf(5), 5 s by default.
final class SleepGuard: SleepAnnouncer {
  var announced: (_ sleeps: Bool, Instant) -> Void = { _, _ in }
  var failed: (SystemBus.Failure) -> Void = { _ in }
  private let bus: SystemBus
  private var lock: BusDescriptor?
  private var call: Slot?
  private var signals: [Slot] = []

  private static let manager = SystemBus.Target(
    "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
  private static let names = SystemBus.Target(
    "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")

  init(_ bus: SystemBus) { self.bus = bus }

  func begin() {
    signals = [
      bus.signal(Self.manager, "PrepareForSleep") { [unowned self] values, now in
        guard let sleeps = values.first?.flag else { return }
        announced(sleeps, now)
        if !sleeps { take() }
      },
      // A logind that was restarted does not continue what the last one had begun.
      bus.signal(Self.names, "NameOwnerChanged", about: Self.manager.name) { [unowned self] values, now in
        if values.count == 3, values[0].text == Self.manager.name, values[2].text?.isEmpty == false {
          announced(false, now)
          take()
        }
      },
    ].compactMap(\.self)
    take()
  }

  func end() {
    signals = []
    (call, lock) = (nil, nil)
  }

  func release() { lock = nil }

  private func take() {
    if lock != nil || call != nil { return }
    call = bus.call(
      Self.manager, "Inhibit",
      ["sleep", "touchgate", "No update is applied while the machine goes to sleep", "delay"]
    ) { [unowned self] reply, _ in
      call = nil
      switch reply {
      case .success(let values): lock = values.first?.descriptor
      case .failure(let failure): failed(failure)
      }
    }
  }
}
