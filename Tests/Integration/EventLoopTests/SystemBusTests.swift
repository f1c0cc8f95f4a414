import EventLoop
import Foundation
import Glibc
import Linux
import SystemBus
import Testing
import Timeline

/// Against a private bus: `dbus-daemon`, if the machine has it.
@Suite("D-Bus", .enabled(if: PrivateBus.isThere, "needs dbus-daemon"), .serialized)
struct SystemBusTests {
  let loop: EventLoop
  let daemon: PrivateBus
  private static let driver = SystemBus.Target(
    "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")

  init() throws {
    EventLoop.blockSignals([])
    loop = try EventLoop()
    daemon = try PrivateBus()
  }

  /// Runs the loop until it is stopped, with the bus's deadline on its timer as the service has it; 1 if that does not
  /// happen within five seconds.
  private func run(_ bus: SystemBus) throws -> CInt {
    let limit = try loop.timer(.timers) { [loop] _ in loop.stop(1) }
    limit.arm(SystemClock.monotonic + .seconds(5))
    let timer = try loop.timer(.timers) { now in bus.timePassed(now) }
    loop.afterEach = { _ in timer.arm(bus.nextDeadline) }
    defer { loop.afterEach = { _ in } }
    return try withExtendedLifetime((limit, timer)) { try loop.run() }
  }

  @Test("a call is answered later, an error has a name, and a subscribed signal arrives")
  func calls() throws {
    try daemon.start()
    defer { daemon.remove() }
    let bus = SystemBus(loop: loop, address: daemon.address)
    var slots: [Slot?] = []
    var told: [String] = []
    func tell(_ text: String) {
      told.append(text)
      if told.count == 4 { loop.stop(0) }
    }
    bus.connected = { _ in
      tell("connected")
      slots.append(
        bus.signal(Self.driver, "NameOwnerChanged", about: ":1.1") { values, _ in
          if values[1].text == "" { tell("signal \(values.compactMap(\.text).first ?? "")") }
        })
      slots.append(
        bus.call(Self.driver, "NoSuchMethod", []) { reply, _ in
          if case .failure(let failure) = reply { tell(failure.name) }
        })
      slots.append(
        bus.call(Self.driver, "ListNames", []) { reply, _ in
          if case .success(let values) = reply { tell("names \(values.first?.list?.isEmpty == false)") }
        })
      daemon.visit()
    }
    bus.connect(SystemClock.monotonic)
    #expect(try run(bus) == 0, "\(told)")
    #expect(
      told.sorted() == ["connected", "names true", "org.freedesktop.DBus.Error.UnknownMethod", "signal :1.1"])
  }

  @Test("if the bus is lost, pending calls end with a disconnect, and the connection is restored automatically")
  func comesBack() throws {
    try daemon.start()
    defer { daemon.remove() }
    let bus = SystemBus(loop: loop, address: daemon.address)
    var told: [String] = []
    var slot: Slot?
    bus.connected = { _ in
      told.append("connected")
      if told.count > 1 { return loop.stop(0) }
      daemon.freeze()
      slot = bus.call(Self.driver, "ListNames", [], timeout: .seconds(60)) { reply, _ in
        if case .failure(let failure) = reply { told.append("disconnect \(failure.isDisconnect)") }
      }
      daemon.stop()
    }
    bus.disconnected = { _, _ in
      told.append("gone")
      #expect(!bus.isConnected)
      try? daemon.start()
    }
    bus.connect(SystemClock.monotonic)
    #expect(try run(bus) == 0, "\(told)")
    #expect(told == ["connected", "disconnect true", "gone", "connected"])
    withExtendedLifetime(slot) {}
  }

  @Test("without a bus a call fails at once, and nothing is retried until the next call")
  func none() throws {
    let bus = SystemBus(loop: loop, address: daemon.address)
    var gone = 0
    bus.disconnected = { failure, _ in
      gone += 1
      #expect(failure.isDisconnect && failure.message.contains("no connection to D-Bus"))
    }
    bus.connect(SystemClock.monotonic)
    #expect(gone == 1 && !bus.isConnected)
    #expect(bus.call(Self.driver, "GetId", []) { _, _ in } == nil)
    bus.connect(SystemClock.monotonic)
    #expect(gone == 2 && bus.nextDeadline == nil)
  }
}

extension SystemBusTests {
  @Test("a reply and a signal are callbacks of the loop: each has one beginning and one end")
  func callbacks() throws {
    try daemon.start()
    defer { daemon.remove() }
    let bus = SystemBus(loop: loop, address: daemon.address)
    var log: [String] = []
    var slot: Slot?
    let limit = try loop.timer(.timers) { [loop] _ in loop.stop(1) }
    limit.arm(SystemClock.monotonic + .seconds(5))
    loop.beforeEach = { _ in log.append("(") }
    loop.afterEach = { [loop] _ in
      log.append(")")
      if log.contains("reply") { loop.stop(0) }
    }
    bus.connected = { _ in
      log.append("connected")
      slot = bus.call(Self.driver, "ListNames", []) { _, _ in log.append("reply") }
    }
    bus.connect(SystemClock.monotonic)
    #expect(try loop.run() == 0)
    #expect(log == ["(", "connected", ")", "(", "reply", ")"])
    withExtendedLifetime((slot, limit)) {}
  }
}

/// A bus for one test.
final class PrivateBus {
  static let program = "/usr/bin/dbus-daemon"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  private let folder: String
  private var daemon: Process?

  var address: String { "unix:path=\(folder)/bus" }

  init() throws {
    folder = NSTemporaryDirectory() + "touchgate-bus-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let configuration = """
      <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy>
      </busconfig>
      """
    try configuration.write(toFile: "\(folder)/conf", atomically: true, encoding: .utf8)
  }

  deinit { remove() }

  /// At the end of a test: what a bus calls may keep this object alive.
  func remove() {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Returns when it can be connected to.
  func start() throws {
    try? FileManager.default.removeItem(atPath: "\(folder)/bus")
    let process = Process()
    process.executableURL = URL(filePath: Self.program)
    process.arguments = ["--config-file=\(folder)/conf", "--nofork", "--nopidfile", "--print-address"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    _ = output.fileHandleForReading.availableData
    daemon = process
  }

  func stop() {
    guard let daemon else { return }
    kill(daemon.processIdentifier, SIGKILL)
    daemon.waitUntilExit()
    self.daemon = nil
  }

  /// It answers nothing any more.
  func freeze() {
    if let daemon { kill(daemon.processIdentifier, SIGSTOP) }
  }

  /// Somebody else connects and goes.
  func visit() {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/dbus-send")
    process.arguments = [
      "--bus=\(address)", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetId",
    ]
    try? process.run()
  }
}
