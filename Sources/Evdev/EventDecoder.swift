import Glibc
import Timeline
public import TouchModel

/// Decodes the bytes of a device node: `struct input_event`, 24 bytes with 64-bit time, 16 bytes with 32-bit time. The
/// kernel returns whole events only.
public struct EventDecoder: Sendable {
  public enum Layout: Int, Sendable {
    case time32 = 16
    case time64 = 24
  }

  public let layout: Layout

  public init(layout: Layout) { self.layout = layout }

  /// The layout of this process.
  public static let native = EventDecoder(
    layout: MemoryLayout<timeval>.size == 16 ? .time64 : .time32)

  /// Decodes all whole events of the buffer; an incomplete one at the end is ignored.
  public func decode(_ bytes: UnsafeRawBufferPointer, _ body: (InputEvent) -> Void) {
    var offset = 0
    while offset + layout.rawValue <= bytes.count {
      let seconds: Int64
      let micros: Int64
      switch layout {
      case .time64:
        seconds = bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
        micros = bytes.loadUnaligned(fromByteOffset: offset + 8, as: Int64.self)
      case .time32:
        seconds = Int64(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        micros = Int64(bytes.loadUnaligned(fromByteOffset: offset + 4, as: Int32.self))
      }
      let tail = offset + layout.rawValue - 8
      body(
        InputEvent(
          time: Instant(nanoseconds: seconds &* 1_000_000_000 &+ micros &* 1000),
          type: bytes.loadUnaligned(fromByteOffset: tail, as: UInt16.self),
          code: bytes.loadUnaligned(fromByteOffset: tail + 2, as: UInt16.self),
          value: bytes.loadUnaligned(fromByteOffset: tail + 4, as: Int32.self)))
      offset += layout.rawValue
    }
  }
}
