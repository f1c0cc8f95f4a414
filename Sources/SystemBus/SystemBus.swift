import CLibsystemd
public import EventLoop
import Glibc
import Linux
public import Timeline

/// The system's D-Bus on the loop: calls that are answered later, and signals. Nothing blocks.
///
/// If the connection is lost, it is retried with growing delays. If there was no bus from the start, it is tried only
/// on a call, so a machine without D-Bus has no deadline for it.
public final class SystemBus {
  /// Why a call failed: the name of a D-Bus error, and a message.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    public let name: String
    public let message: String

    public init(name: String, message: String) {
      self.name = name
      self.message = message
    }

    /// There is no bus, or the connection was lost before the answer.
    public var isDisconnect: Bool { name == Self.disconnected }

    static let disconnected = "touchgate.Disconnected"

    public var description: String { message.isEmpty ? name : message }
  }

  /// The object that is called, or that sends a signal. `name`: its owner's name on the bus.
  public struct Target: Equatable, Sendable {
    public let name: String
    public let path: String
    public let interface: String

    public init(_ name: String, _ path: String, _ interface: String) {
      self.name = name
      self.path = path
      self.interface = interface
    }
  }

  /// Called after each successful connection; signals must then be subscribed to again.
  public var connected: (Instant) -> Void = { _ in }
  /// Called if the first connection fails, and when the connection is lost; pending calls are answered before.
  public var disconnected: (Failure, Instant) -> Void = { _, _ in }

  private let loop: EventLoop
  private let address: String?
  private var bus: OpaquePointer?
  private var goneSlot: Slot?
  /// The first call, until it is answered.
  private var hello: Slot?
  /// When to retry the connection; nil: only on a call.
  public private(set) var nextDeadline: Instant?
  private var backoff: Duration = firstBackoff
  private var wasThere = false

  private static let firstBackoff: Duration = .seconds(1)
  private static let longestBackoff: Duration = .seconds(60)

  /// `address`: a D-Bus address; nil: the system bus (sd_bus_open_system(3)).
  public init(loop: EventLoop, address: String? = nil) {
    self.loop = loop
    self.address = address
  }

  deinit {
    goneSlot = nil
    if let bus { sd_bus_flush_close_unref(bus) }
  }

  public var isConnected: Bool { bus != nil }

  /// Retries the connection if that is due.
  public func timePassed(_ now: Instant) {
    if let due = nextDeadline, due <= now { connect(now) }
  }

  /// Connects, if there is no connection.
  public func connect(_ now: Instant) {
    if bus != nil { return }
    var made: OpaquePointer?
    var result = open(&made)
    if result >= 0, let made {
      result = sd_bus_attach_event(made, loop.sdEvent, CInt(EventLoop.Priority.requests.rawValue))
    }
    guard result >= 0, let made else {
      if let made { sd_bus_unref(made) }
      return tellGone(
        Failure(name: Failure.disconnected, message: "no connection to D-Bus: \(Errno(-result))"), now)
    }
    bus = made
    goneSlot = signal(Self.local, "Disconnected") { [unowned self] _, now in gone(now) }
    nextDeadline = nil
    // The connection counts from the first answer; before that it may still be refused.
    hello = call(
      Target("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"), "GetId", [],
      timeout: .seconds(25)
    ) { [unowned self] reply, now in
      hello = nil
      guard case .success = reply else { return }  // Then `gone` follows.
      wasThere = true
      backoff = Self.firstBackoff
      connected(now)
    }
  }

  private func open(_ made: inout OpaquePointer?) -> CInt {
    guard let address else { return sd_bus_open_system(&made) }
    for step in [
      { sd_bus_new(&$0) }, { sd_bus_set_address($0, address) }, { sd_bus_set_bus_client($0, 1) }, { sd_bus_start($0) },
    ] as [(inout OpaquePointer?) -> CInt] {
      let result = step(&made)
      if result < 0 { return result }
    }
    return 0
  }

  private static let local = Target(
    "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local")

  private func gone(_ now: Instant) {
    guard let old = bus else { return }
    bus = nil
    goneSlot = nil
    hello = nil
    sd_bus_detach_event(old)
    sd_bus_close_unref(old)
    tellGone(Failure(name: Failure.disconnected, message: "the connection to D-Bus was lost"), now)
  }

  private func tellGone(_ failure: Failure, _ now: Instant) {
    if wasThere {
      nextDeadline = now + backoff
      backoff = min(backoff * 2, Self.longestBackoff)
    }
    disconnected(failure, now)
  }

  // MARK: Calls and signals; each lasts as long as the returned object.

  public typealias Reply = Result<[BusValue], Failure>

  /// Calls a method with string arguments. `answered` is called once, later. Returns nil if there is no bus.
  public func call(
    _ target: Target, _ method: String, _ arguments: [String], timeout: Duration = .seconds(25),
    answered: @escaping (Reply, Instant) -> Void
  ) -> Slot? {
    guard let bus else { return nil }
    var made: OpaquePointer?
    guard sd_bus_message_new_method_call(bus, &made, target.name, target.path, target.interface, method) >= 0,
      let message = made
    else { return nil }
    defer { sd_bus_message_unref(message) }
    for argument in arguments where sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), argument) < 0 {
      return nil
    }
    let receiver = Receiver(loop) { message, now in answered(Self.reply(message), now) }
    var slot: OpaquePointer?
    let microseconds = UInt64(max(1, timeout.wholeNanoseconds / 1000))
    guard sd_bus_call_async(bus, &slot, message, Receiver.callback, receiver.context, microseconds) >= 0, let slot
    else { return nil }
    return Slot(slot, receiver)
  }

  /// Subscribes to a signal of the target, optionally only with this text as its first argument. Returns nil if there
  /// is no bus.
  public func signal(
    _ target: Target, _ member: String, about first: String? = nil, received: @escaping ([BusValue], Instant) -> Void
  ) -> Slot? {
    guard let bus else { return nil }
    let receiver = Receiver(loop) { message, now in received(BusValue.all(in: message), now) }
    // Names and paths contain no quotation marks (D-Bus Specification, "Valid Names").
    var rule = "type='signal',sender='\(target.name)',path='\(target.path)',interface='\(target.interface)',"
    rule += "member='\(member)'"
    if let first { rule += ",arg0='\(first)'" }
    var slot: OpaquePointer?
    guard
      sd_bus_add_match_async(bus, &slot, rule, Receiver.callback, Receiver.ignored, receiver.context) >= 0, let slot
    else { return nil }
    return Slot(slot, receiver)
  }

  private static func reply(_ message: OpaquePointer) -> Reply {
    guard let error = sd_bus_message_get_error(message) else { return .success(BusValue.all(in: message)) }
    let name = error.pointee.name.map { String(cString: $0) } ?? ""
    let text = error.pointee.message.map { String(cString: $0) } ?? ""
    switch name {
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected",
      "System.Error.ECONNRESET", "System.Error.ENOTCONN":
      return .failure(Failure(name: Failure.disconnected, message: "D-Bus did not answer: \(text)"))
    default:
      return .failure(Failure(name: name, message: text))
    }
  }
}

/// A pending call or a subscription; ends with the object.
public final class Slot {
  private let pointer: OpaquePointer
  private let receiver: Receiver

  fileprivate init(_ pointer: OpaquePointer, _ receiver: Receiver) {
    self.pointer = pointer
    self.receiver = receiver
  }

  deinit { sd_bus_slot_unref(pointer) }
}

/// The context of a C callback, which leads to a Swift closure; kept alive by its slot.
private final class Receiver {
  private unowned let loop: EventLoop
  private let body: (OpaquePointer, Instant) -> Void

  init(_ loop: EventLoop, _ body: @escaping (OpaquePointer, Instant) -> Void) {
    self.loop = loop
    self.body = body
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static let callback: sd_bus_message_handler_t = { message, context, _ in
    guard let message, let context else { return 0 }
    // Retained during the call, which may drop its own slot.
    let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
    receiver.loop.callback { now in receiver.body(message, now) }
    return 0
  }

  /// Handles the answer to AddMatch; without a handler sd-bus would close the connection on a refusal.
  static let ignored: sd_bus_message_handler_t = { _, _, _ in 0 }
}
