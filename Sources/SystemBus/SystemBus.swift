import CLibsystemd
public import EventLoop
import Glibc
import Linux
public import Timeline

/// The system's D-Bus in the one loop: calls whose answers come later, and signals. Nothing here blocks.
///
/// A bus that goes away is looked for again, with growing delays. One that was not there to begin with is only looked
/// for when somebody calls: a machine without D-Bus gets no deadline for it.
public final class SystemBus {
  /// Why a call has no answer: the name of a D-Bus error, and words.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    public let name: String
    public let message: String

    public init(name: String, message: String) {
      self.name = name
      self.message = message
    }

    /// There is no bus, or it went away before the answer.
    public var isDisconnect: Bool { name == Self.disconnected }

    static let disconnected = "touchgate.Disconnected"

    public var description: String { message.isEmpty ? name : message }
  }

  /// What is called, or what a signal is of. `name`: who has it on the bus.
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

  /// Called when there is a bus, the first time and again; signals are to be asked for anew then.
  public var connected: (Instant) -> Void = { _ in }
  /// Called when there is none (the first time), and when it goes away. Calls under way have had their answer.
  public var disconnected: (Failure, Instant) -> Void = { _, _ in }

  private let loop: EventLoop
  private let address: String?
  private var bus: OpaquePointer?
  private var goneSlot: Slot?
  /// The first call, until it is answered.
  private var hello: Slot?
  /// When to look for the bus again; nil: not by itself.
  public private(set) var nextDeadline: Instant?
  private var backoff: Duration = firstBackoff
  private var wasThere = false

  private static let firstBackoff: Duration = .seconds(1)
  private static let longestBackoff: Duration = .seconds(60)

  /// `address`: of a bus as D-Bus writes it; nil: the system's (sd_bus_open_system(3)).
  public init(loop: EventLoop, address: String? = nil) {
    self.loop = loop
    self.address = address
  }

  deinit {
    goneSlot = nil
    if let bus { sd_bus_flush_close_unref(bus) }
  }

  public var isConnected: Bool { bus != nil }

  /// Looks for the bus again if that is due.
  public func timePassed(_ now: Instant) {
    if let due = nextDeadline, due <= now { connect(now) }
  }

  /// Looks for the bus, if there is none.
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
        Failure(name: Failure.disconnected, message: "there is no D-Bus: \(Errno(-result))"), now)
    }
    bus = made
    goneSlot = signal(Self.local, "Disconnected") { [unowned self] _, now in gone(now) }
    nextDeadline = nil
    // It is open when it answers: before that, a connection that was taken may still be refused.
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
    tellGone(Failure(name: Failure.disconnected, message: "D-Bus has gone away"), now)
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

  /// Calls a method with strings for arguments. `answered` is called once, later; nil: there is no bus now.
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

  /// Follows a signal of that target, or only those with this text as their first argument; nil: there is no bus now.
  public func signal(
    _ target: Target, _ member: String, about first: String? = nil, received: @escaping ([BusValue], Instant) -> Void
  ) -> Slot? {
    guard let bus else { return nil }
    let receiver = Receiver(loop) { message, now in received(BusValue.all(in: message), now) }
    // No name or path in here has a quote in it (D-Bus Specification, "Valid Names").
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
      return .failure(Failure(name: Failure.disconnected, message: "D-Bus gave no answer: \(text)"))
    default:
      return .failure(Failure(name: name, message: text))
    }
  }
}

/// A call under way, or a signal that is followed; ends with the object.
public final class Slot {
  private let pointer: OpaquePointer
  private let receiver: Receiver

  fileprivate init(_ pointer: OpaquePointer, _ receiver: Receiver) {
    self.pointer = pointer
    self.receiver = receiver
  }

  deinit { sd_bus_slot_unref(pointer) }
}

/// What a C callback needs to reach a Swift closure; kept alive by its slot.
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
    // Retained for the call: it may drop its own slot.
    let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
    receiver.loop.callback { now in receiver.body(message, now) }
    return 0
  }

  /// The answer to AddMatch: without a handler of its own sd-bus would close the connection on a refusal.
  static let ignored: sd_bus_message_handler_t = { _, _, _ in 0 }
}
