import Evdev
import Glibc
import Testing
import TouchModel

/// A second reader of a device; collects everything that the kernel sends from its creation on.
final class EventCount {
  private let descriptor: CInt
  private var events: [InputEvent] = []

  init(_ node: String) throws {
    descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  /// How many events of this type had this value; of EV_SYN only SYN_REPORT counts.
  func count(type: UInt16, value: Int32) -> Int {
    read()
    return events.count {
      $0.type == type && $0.value == value && (type != EventType.syn || $0.code == EventCode.synReport)
    }
  }

  /// The queue was full and the kernel threw events away (SYN_DROPPED).
  var hasLost: Bool {
    read()
    return events.contains { ($0.type, $0.code) == (EventType.syn, EventCode.synDropped) }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let size = Glibc.read(descriptor, &buffer, buffer.count)
      if size <= 0 { return }
      buffer.withUnsafeBytes {
        EventDecoder.native.decode(UnsafeRawBufferPointer(rebasing: $0[..<size])) { events.append($0) }
      }
    }
  }
}
