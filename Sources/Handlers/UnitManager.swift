public import SystemBus
public import Timeline

/// What a `Unit=` handler asks of systemd's manager. Answers come later, each once; a call ends early with the object
/// that it returned, which is nil if there is no bus.
public protocol UnitManager: AnyObject {
  /// Connects to the bus if there is no connection.
  func connect(_ now: Instant)
  var isConnected: Bool { get }

  typealias JobAnswer = Result<String, SystemBus.Failure>
  /// Answers with the job.
  func start(_ unit: String, answered: @escaping (JobAnswer, Instant) -> Void) -> AnyObject?
  /// Also cancels a start that is still queued.
  func stop(_ unit: String, answered: @escaping (JobAnswer, Instant) -> Void) -> AnyObject?
  /// Follows the ends of jobs: the job and its result (`done`, `failed`, `canceled`, …).
  func jobsRemoved(_ removed: @escaping (_ job: String, _ result: String, Instant) -> Void) -> AnyObject?
  /// Whether the machine is shutting down.
  func isShuttingDown(answered: @escaping (Bool, Instant) -> Void) -> AnyObject?

  typealias RecordAnswer = Result<UnitRecord?, SystemBus.Failure>
  /// Answers with systemd's record of a unit; nil: it has none.
  func record(of unit: String, answered: @escaping (RecordAnswer, Instant) -> Void) -> AnyObject?
}

/// The same over D-Bus: org.freedesktop.systemd1(5).
public final class BusUnitManager: UnitManager {
  private let bus: SystemBus

  public init(_ bus: SystemBus) { self.bus = bus }

  private static let manager = SystemBus.Target(
    "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")

  private static func properties(_ path: String) -> SystemBus.Target {
    SystemBus.Target(manager.name, path, "org.freedesktop.DBus.Properties")
  }

  public func connect(_ now: Instant) { bus.connect(now) }

  public var isConnected: Bool { bus.isConnected }

  public func start(_ unit: String, answered: @escaping (JobAnswer, Instant) -> Void) -> AnyObject? {
    change("StartUnit", unit, answered)
  }

  public func stop(_ unit: String, answered: @escaping (JobAnswer, Instant) -> Void) -> AnyObject? {
    change("StopUnit", unit, answered)
  }

  private func change(_ method: String, _ unit: String, _ answered: @escaping (JobAnswer, Instant) -> Void)
    -> AnyObject?
  {
    bus.call(Self.manager, method, [unit, "replace"]) { reply, now in
      answered(reply.map { $0.first?.text ?? "" }, now)
    }
  }

  public func jobsRemoved(_ removed: @escaping (_ job: String, _ result: String, Instant) -> Void) -> AnyObject? {
    bus.signal(Self.manager, "JobRemoved") { values, now in
      guard values.count == 4, let job = values[1].text, let result = values[3].text else { return }
      removed(job, result, now)
    }
  }

  public func isShuttingDown(answered: @escaping (Bool, Instant) -> Void) -> AnyObject? {
    bus.call(Self.properties(Self.manager.path), "Get", [Self.manager.interface, "SystemState"]) { reply, now in
      let value = (try? reply.get())?.first
      answered(value == .variant(.text("stopping")), now)
    }
  }

  /// Two calls: GetUnit, then the properties of that unit.
  public func record(of unit: String, answered: @escaping (RecordAnswer, Instant) -> Void) -> AnyObject? {
    let inquiry = Inquiry()
    inquiry.slot = bus.call(Self.manager, "GetUnit", [unit]) { [unowned inquiry, bus] reply, now in
      switch reply {
      case .failure(let failure) where failure.name == "org.freedesktop.systemd1.NoSuchUnit":
        answered(.success(nil), now)
      case .failure(let failure):
        answered(.failure(failure), now)
      case .success(let values):
        inquiry.slot = bus.call(Self.properties(values.first?.text ?? "/"), "GetAll", [""]) { reply, now in
          switch reply {
          case .failure(let failure) where failure.isDisconnect: answered(.failure(failure), now)
          case .failure: answered(.success(nil), now)  // Unloaded between the two calls.
          case .success(let values): answered(.success(values.first?.properties.flatMap(UnitRecord.init)), now)
          }
        }
      }
    }
    return inquiry.slot == nil ? nil : inquiry
  }

  private final class Inquiry {
    var slot: Slot?
  }
}
