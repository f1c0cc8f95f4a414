import CLinux
import Glibc
import Haptics
import Linux

/// An open device with force feedback. Its effects belong to the open file: closing it stops and erases them, also when
/// the process is killed. Every call can block for 30 s, O_NONBLOCK or not.
struct VibratorDevice: ~Copyable {
  let node: String
  let motor: MotorDescription
  private let descriptor: FileDescriptor

  init(node: String) throws(VibratorError) {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try FileDescriptor(opening: node, O_RDWR | O_NONBLOCK)
    } catch {
      throw VibratorError("cannot open \(node)", error)
    }
    var bitmap = [UInt8](repeating: 0, count: 16)
    var slots: CInt = 0
    let result = min(
      tg_ff_bits(descriptor.raw, &bitmap, UInt32(bitmap.count)), tg_ff_slots(descriptor.raw, &slots))
    let reason = result < 0 ? Errno() : Errno(ENOTSUP)
    let codes = Set((0..<UInt16(bitmap.count * 8)).filter { bitmap[Int($0) / 8] & (1 << ($0 % 8)) != 0 })
    guard result >= 0, let motor = MotorDescription(codes: codes, slots: Int(slots)) else {
      throw VibratorError("\(node) supports neither FF_RUMBLE nor FF_PERIODIC", reason)
    }
    self.node = node
    self.motor = motor
    self.descriptor = descriptor
  }

  /// Uploads an effect (EVIOCSFF) and returns its id.
  func upload(_ effect: Effect, over id: Int16?) throws(VibratorError) -> Int16 {
    var id = id ?? -1
    let waveform: UInt16 =
      switch effect.effectType {
      case .rumble: 0
      case .periodic(let waveform): waveform
      }
    let result = retry {
      tg_ff_upload(descriptor.raw, &id, waveform, effect.magnitude, effect.length, effect.delay)
    }
    if result < 0 { throw VibratorError("\(node) refused an effect", Errno()) }
    return id
  }

  /// Writes all events in one write(2), so that the pulses of a pattern start from the same moment.
  func write(_ events: [EffectBank.Event]) throws(VibratorError) {
    if events.isEmpty { return }
    let records = events.map { event in
      var record = input_event()
      record.type = UInt16(EV_FF)
      record.code = event.code
      record.value = event.value
      return record
    }
    do throws(Errno) {
      try descriptor.write(records.withUnsafeBytes(Array.init))
    } catch {
      throw VibratorError("\(node) plays nothing", error)
    }
  }
}
