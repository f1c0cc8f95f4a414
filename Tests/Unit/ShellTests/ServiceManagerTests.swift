import Testing
import Timeline

@testable import Service

@Suite("Notifications to systemd")
struct ServiceManagerTests {
  private final class Messages {
    var all: [String] = []
    func take() -> [String] {
      defer { all = [] }
      return all
    }
  }
  private let messages = Messages()

  private func manager(watchdog: Duration? = nil) -> ServiceManager {
    ServiceManager(watchdog: watchdog) { [messages] in messages.all.append($0) }
  }

  @Test("without a watchdog there is no deadline and no ping")
  func none() {
    var manager = manager()
    manager.ready(at(0))
    #expect(messages.take() == ["READY=1"] && manager.nextDeadline == nil)
    #expect(manager.afterEach(at(100)) { "never asked" } == nil)
    #expect(messages.take() == [])
  }

  @Test("the watchdog is pinged at half its timeout, at the end of any wake-up from then on")
  func pings() {
    var manager = manager(watchdog: .seconds(30))
    manager.ready(at(0))
    #expect(messages.take() == ["READY=1", "WATCHDOG=1"] && manager.nextDeadline == at(15))
    #expect(manager.afterEach(at(14.9)) { nil } == nil && messages.take() == [])
    #expect(manager.afterEach(at(16)) { nil } == nil && messages.take() == ["WATCHDOG=1"])
    #expect(manager.nextDeadline == at(31))
  }

  @Test("if a deadline was missed the ping is withheld, and the check is repeated after half the timeout")
  func withheld() {
    var manager = manager(watchdog: .seconds(30))
    manager.ready(at(0))
    _ = messages.take()
    #expect(manager.afterEach(at(15)) { "overdue" } == "overdue")
    #expect(messages.take() == [] && manager.nextDeadline == at(30))
    #expect(manager.afterEach(at(30)) { nil } == nil && messages.take() == ["WATCHDOG=1"])
  }

  @Test("an unchanged status is sent once, and a reload is reported at its beginning and end")
  func texts() {
    var manager = manager()
    manager.show(status: "1 update waiting")
    manager.show(status: "1 update waiting")
    manager.reloading(Instant(nanoseconds: 5000))
    manager.reloaded()
    manager.stopping()
    #expect(
      messages.take() == [
        "STATUS=1 update waiting", "RELOADING=1\nMONOTONIC_USEC=5", "READY=1", "STOPPING=1",
      ])
  }
}
