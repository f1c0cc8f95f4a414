import CLibsystemd
import Glibc

/// One value of a D-Bus message, whatever its width there.
public enum BusValue: Equatable {
  /// A string, an object path or a signature.
  case text(String)
  case number(Int64)
  case unsigned(UInt64)
  case flag(Bool)
  case real(Double)
  case descriptor(BusDescriptor)
  /// An array, a structure or a dictionary's entry.
  case list([BusValue])
  indirect case variant(BusValue)

  public var text: String? { if case .text(let text) = self { text } else { nil } }
  public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  public var descriptor: BusDescriptor? { if case .descriptor(let descriptor) = self { descriptor } else { nil } }

  public var list: [BusValue]? { if case .list(let list) = self { list } else { nil } }

  /// A whole number of any type that fits.
  public var number: Int64? {
    switch self {
    case .number(let number): number
    case .unsigned(let number): Int64(exactly: number)
    case .text, .flag, .real, .descriptor, .list, .variant: nil
    }
  }

  /// A dictionary of variants by name (`a{sv}`); nil if the value has another type.
  public var properties: [String: BusValue]? {
    guard let list else { return nil }
    var properties: [String: BusValue] = [:]
    for entry in list {
      guard let pair = entry.list, pair.count == 2, let name = pair[0].text, case .variant(let value) = pair[1] else {
        return nil
      }
      properties[name] = value
    }
    return properties
  }
}

/// A descriptor that came with a message; closed with the object.
public final class BusDescriptor: Equatable {
  public let number: CInt

  /// A duplicate, because the message closes its own descriptor.
  fileprivate init?(copying descriptor: CInt) {
    number = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    if number < 0 { return nil }
  }

  deinit { close(number) }

  public static func == (a: BusDescriptor, b: BusDescriptor) -> Bool { a === b }
}

extension BusValue {
  /// Reads the remaining values of a message, or of its current container, up to the first that cannot be read.
  static func all(in message: OpaquePointer) -> [BusValue] {
    var values: [BusValue] = []
    while let value = next(in: message) { values.append(value) }
    return values
  }

  private static func next(in message: OpaquePointer) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    switch UInt8(bitPattern: type) {
    case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
      return read(message, type, UnsafePointer<CChar>?.none)?.map { .text(String(cString: $0)) }
    case UInt8(ascii: "y"): return read(message, type, UInt8(0)).map { .unsigned(UInt64($0)) }
    case UInt8(ascii: "b"): return read(message, type, CInt(0)).map { .flag($0 != 0) }
    case UInt8(ascii: "n"): return read(message, type, Int16(0)).map { .number(Int64($0)) }
    case UInt8(ascii: "q"): return read(message, type, UInt16(0)).map { .unsigned(UInt64($0)) }
    case UInt8(ascii: "i"): return read(message, type, Int32(0)).map { .number(Int64($0)) }
    case UInt8(ascii: "u"): return read(message, type, UInt32(0)).map { .unsigned(UInt64($0)) }
    case UInt8(ascii: "x"): return read(message, type, Int64(0)).map { .number($0) }
    case UInt8(ascii: "t"): return read(message, type, UInt64(0)).map { .unsigned($0) }
    case UInt8(ascii: "d"): return read(message, type, Double(0)).map { .real($0) }
    case UInt8(ascii: "h"):
      return read(message, type, CInt(-1)).flatMap { BusDescriptor(copying: $0) }.map { .descriptor($0) }
    case UInt8(ascii: "v"):
      guard sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
      defer { sd_bus_message_exit_container(message) }
      return next(in: message).map { .variant($0) }
    default:
      guard sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
      defer { sd_bus_message_exit_container(message) }
      return .list(all(in: message))
    }
  }

  private static func read<Value: BitwiseCopyable>(_ message: OpaquePointer, _ type: CChar, _ empty: Value) -> Value? {
    var value = empty
    return sd_bus_message_read_basic(message, type, &value) > 0 ? value : nil
  }
}
