import CVirtualVibrator
import Foundation
import Glibc
import Linux
import Synchronization
public import Timeline

/// A device with force feedback, made through /dev/uinput and answered by a thread of this process: records what the
/// kernel sends to it, with the time. uinput checks no ids and times no pulses; `VirtualPad` does.
public final class VirtualVibrator: Sendable {
  public enum Event: Equatable, Sendable {
    /// EVIOCSFF, answered or not. A magnitude of the strong motor, or of a waveform.
    case upload(id: Int, rumble: Bool, magnitude: Int, length: Int, delay: Int)
    case erase(id: Int)
    case play(id: Int)
    case stop(id: Int)
    case gain(Int)
    /// An upload that gets no answer.
    case unanswered
  }

  public struct Stamped: Equatable, Sendable {
    public let at: Instant
    public let event: Event
  }

  public enum Manner: Equatable, Sendable {
    case answer
    /// Uploads get no answer: the kernel gives up after 30 s.
    case silence
    /// Uploads are refused with this errno.
    case refuse(CInt)
  }

  /// `/dev/input/eventN`
  public let node: String
  private let descriptor: CInt
  private let kept = Mutex<[Stamped]>([])
  private let manner: Mutex<Manner>
  private let isPlugged = Atomic(true)
  private let isReading = Atomic(true)

  public init(
    _ name: String, slots: Int = 16, codes: [UInt16] = [0x50, 0x60], product: Int = 1, manner: Manner = .answer
  ) throws {
    var sysname = [CChar](repeating: 0, count: 64)
    descriptor = vv_create(
      name, CInt(product), CInt(slots), codes, CInt(codes.count), &sysname, CInt(sysname.count))
    if descriptor < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.manner = Mutex(manner)
    let folder = "/sys/devices/virtual/input/\(sysname.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    node = "/dev/input/\(names.first { $0.hasPrefix("event") } ?? "")"
    Thread.detachNewThread { [self] in
      answer()
      isReading.store(false, ordering: .releasing)
    }
  }

  /// Removes the device.
  public func unplug() {
    if isPlugged.exchange(false, ordering: .acquiringAndReleasing) { _ = vv_destroy(descriptor) }
    while isReading.load(ordering: .acquiring) { usleep(1000) }
  }

  deinit { close(descriptor) }

  public func set(_ manner: Manner) { self.manner.withLock { $0 = manner } }

  public var events: [Stamped] { kept.withLock { $0 } }

  public func forget() { kept.withLock { $0 = [] } }

  private func answer() {
    while isPlugged.load(ordering: .acquiring) {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, 10)
      while let record = next() {
        switch CInt(record.type) {
        case EV_UINPUT: request(CInt(record.code), record.value)
        case EV_FF where record.code == 0x60: keep(.gain(Int(record.value)))
        case EV_FF: keep(record.value > 0 ? .play(id: Int(record.code)) : .stop(id: Int(record.code)))
        default: break
        }
      }
    }
  }

  private func next() -> input_event? {
    var record = input_event()
    let size = MemoryLayout<input_event>.size
    return read(descriptor, &record, size) == size ? record : nil
  }

  private func request(_ code: CInt, _ number: CInt) {
    if code == UI_FF_ERASE {
      var id: CInt = 0
      _ = vv_answer_erase(descriptor, number, &id)
      return keep(.erase(id: Int(id)))
    }
    let result: CInt
    switch manner.withLock({ $0 }) {
    case .silence: return keep(.unanswered)
    case .answer: result = 0
    case .refuse(let code): result = -code
    }
    var effect = vv_effect()
    _ = vv_answer_upload(descriptor, number, result, &effect)
    keep(
      .upload(
        id: Int(effect.id), rumble: effect.type == 0x50, magnitude: Int(effect.magnitude), length: Int(effect.length),
        delay: Int(effect.delay)))
  }

  private func keep(_ event: Event) {
    kept.withLock { $0.append(Stamped(at: SystemClock.monotonic, event: event)) }
  }
}
