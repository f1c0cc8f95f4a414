/// The capabilities of a device, as the kernel reports them (linux/input-event-codes.h).
public struct MotorDescription: Equatable, Sendable {
  /// How its effects are written.
  public enum EffectType: Equatable, Sendable {
    /// FF_RUMBLE: the strong motor's magnitude.
    case rumble
    /// FF_PERIODIC with this waveform (FF_SINE, FF_TRIANGLE or FF_SQUARE).
    case periodic(waveform: UInt16)
  }

  public let effectType: EffectType
  /// The device supports FF_GAIN.
  public let hasGain: Bool
  /// The number of effects that the device can keep (EVIOCGEFFECTS); at least 1.
  public let slots: Int

  /// Nil if the device supports neither FF_RUMBLE nor a periodic waveform that is used here.
  ///
  /// The kernel claims FF_RUMBLE for every device with FF_PERIODIC, and converts it to 20 Hz at a third of the strength
  /// (input_ff_create, compat_effect); ff-memless claims FF_PERIODIC for every motor, with all three waveforms and 16
  /// effects. The native one is used.
  public init?(codes: Set<UInt16>, slots: Int) {
    let waveforms = [Code.sine, Code.triangle, Code.square]
    let waveform = codes.contains(Code.periodic) ? waveforms.first(where: codes.contains) : nil
    let isMemless = slots == 16 && codes.isSuperset(of: waveforms)
    if codes.contains(Code.rumble) && (waveform == nil || isMemless) {
      effectType = .rumble
    } else if let waveform {
      effectType = .periodic(waveform: waveform)
    } else {
      return nil
    }
    hasGain = codes.contains(Code.gain)
    self.slots = max(1, slots)
  }

  public enum Code {
    public static let rumble: UInt16 = 0x50
    public static let periodic: UInt16 = 0x51
    public static let square: UInt16 = 0x58
    public static let triangle: UInt16 = 0x59
    public static let sine: UInt16 = 0x5a
    public static let gain: UInt16 = 0x60
  }

  /// The set bits of `capabilities/ff` in sysfs: machine words in hexadecimal, the highest first.
  public static func codes(sysfs text: String) -> Set<UInt16> {
    var codes: Set<UInt16> = []
    for (place, word) in text.split(separator: " ").reversed().enumerated() {
      guard let bits = UInt(word, radix: 16) else { continue }
      for bit in 0..<UInt.bitWidth where bits & (1 << UInt(bit)) != 0 {
        codes.insert(UInt16(place * UInt.bitWidth + bit))
      }
    }
    return codes
  }
}

/// One upload (`struct ff_effect`): a pulse as the device supports it.
public struct Effect: Equatable, Sendable {
  public let effectType: MotorDescription.EffectType
  /// At most 0xffff for FF_RUMBLE and 0x7fff for FF_PERIODIC; never 0.
  public let magnitude: UInt16
  /// `replay.length` in milliseconds; never 0.
  public let length: UInt16
  /// `replay.delay` in milliseconds: the kernel keeps the time between the pulses.
  public let delay: UInt16

  init(_ pulse: Pattern.Pulse, strength: Double, effectType: MotorDescription.EffectType) {
    let most: Double =
      switch effectType {
      case .rumble: 0xffff
      case .periodic: 0x7fff
      }
    // At least 1: a motor with only on and off must not treat it as off.
    magnitude = UInt16(max(1, min(most, (pulse.strength * strength * most).rounded())))
    length = UInt16(pulse.length)
    delay = UInt16(pulse.delay)
    self.effectType = effectType
  }
}
