/// Chooses the device that vibrates: the configured one, or by a fixed rule. The order of their appearance is
/// irrelevant.
public enum MotorChoice: Equatable, Sendable {
  /// A device with force feedback, as udev describes it.
  public struct Candidate: Equatable, Sendable {
    /// Its sysfs path.
    public let id: String
    public let node: String
    public let name: String
    /// ID_PATH, or that of the hardware.
    public let path: String
    /// EV_FF codes.
    public let codes: Set<UInt16>

    public init(id: String, node: String, name: String, path: String, codes: Set<UInt16>) {
      self.id = id
      self.node = node
      self.name = name
      self.path = path
      self.codes = codes
    }

    var isSpokenTo: Bool { MotorDescription(codes: codes, slots: 1) != nil }
  }

  case chosen(Candidate)
  /// No device is used, for this reason.
  case none(String)

  /// `wanted` matches the device that the configuration names. Nil: the device on the hardware of a touchscreen
  /// (`touchscreens`: their paths), otherwise the only one.
  public init(_ all: [Candidate], touchscreens: Set<String>, wanted: ((Candidate) -> Bool)?) {
    if let wanted {
      self = Self.only(all.filter(wanted), none: "no device matches Device= in [Haptics]", many: "Device= matches")
      return
    }
    let beside = all.filter { $0.isSpokenTo && touchscreens.contains($0.path) }
    if beside.count == 1 {
      self = .chosen(beside[0])
    } else {
      self = Self.only(all, none: "no device has force feedback", many: "there are")
    }
  }

  private static func only(_ found: [Candidate], none: String, many: String) -> MotorChoice {
    let spoken = found.filter(\.isSpokenTo)
    if let one = spoken.first, spoken.count == 1 { return .chosen(one) }
    let names = found.map { "\($0.name) (\($0.node))" }.sorted().joined(separator: ", ")
    if found.isEmpty { return .none(none) }
    if spoken.isEmpty { return .none("\(names): neither FF_RUMBLE nor FF_PERIODIC") }
    return .none("\(many) several devices: \(names); choose one with Device= in [Haptics]")
  }
}
