/// `[Screen NAME]`: which devices make up a screen (`Match=`), and where contacts do not count (`IgnoreArea=`).
public struct ScreenRules: Equatable, Sendable {
  public struct Section: Equatable, Sendable {
    public let name: String
    /// Where it stands, for messages.
    public let place: String
    /// Any of them.
    public var matches: [DeviceRule]
    /// Where contacts do not count.
    public var ignoredAreas: [ScreenArea]

    public init(name: String, place: String, matches: [DeviceRule], ignoredAreas: [ScreenArea] = []) {
      self.name = name
      self.place = place
      self.matches = matches
      self.ignoredAreas = ignoredAreas
    }
  }

  /// By name.
  public private(set) var sections: [String: Section] = [:]

  public init() {}

  public var names: Set<String> { Set(sections.keys) }

  /// `Match=` of the sections that have it, by screen.
  public var matches: [String: [DeviceRule]] { sections.mapValues(\.matches).filter { !$0.value.isEmpty } }

  /// `IgnoreArea=` of the sections that have it, by screen.
  public var ignoredAreas: [String: [ScreenArea]] {
    sections.mapValues(\.ignoredAreas).filter { !$0.value.isEmpty }
  }

  /// One that stands in a later file replaces the earlier one as a whole.
  public mutating func add(_ section: Section) { sections[section.name] = section }

  /// The screens that a device belongs to: none where nothing is said of it; more than one is a mistake.
  public func screens(of device: DeviceRule.Device) -> [String] {
    sections.values.filter { $0.matches.contains { $0.matches(device) } }.map(\.name).sorted()
  }

  /// What is wrong with them on a machine with these touchscreens; each a line.
  public func problems(with devices: [DeviceRule.Device]) -> [String] {
    var problems: [String] = []
    for section in sections.values.sorted(by: { $0.name < $1.name })
    where !section.matches.isEmpty
      && !devices.contains(where: { device in section.matches.contains { $0.matches(device) } })
    {
      problems.append("\(section.place): [Screen \(section.name)] matches no touchscreen of this machine")
    }
    for device in devices {
      let screens = screens(of: device)
      if screens.count > 1 { problems.append(Self.conflict(device.name, screens)) }
    }
    return problems
  }

  public static func conflict(_ device: String, _ screens: [String]) -> String {
    "\(device) is matched by \(screens.map { "[Screen \($0)]" }.joined(separator: " and ")); let one of them match it"
  }

  /// Longest name of a screen, in bytes.
  static let longestName = 64

  /// 1 to 64 bytes without control characters.
  public static func isName(_ text: String) -> Bool {
    (1...longestName).contains(text.utf8.count) && !isBlank(text.utf8.first) && !isBlank(text.utf8.last)
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
  }

  private static func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") }
}
