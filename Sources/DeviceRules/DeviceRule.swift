import Glibc

/// `[Devices] Use=` or `Ignore=`: whether a device counts as a touchscreen.
public struct DeviceRule: Equatable, Sendable {
  public enum Match: Equatable, Sendable {
    /// The kernel's name of the device; fnmatch(3).
    case name(String)
    /// `vendor:product` in four hexadecimal digits each, as lsusb prints them.
    case id(String)
    /// ID_PATH of udev; fnmatch(3).
    case path(String)
    /// ID_SEAT of udev; fnmatch(3).
    case seat(String)
  }

  /// What rules match.
  public struct Device: Sendable {
    public var name: String
    public var identity: String
    public var path: String
    public var seat: String

    public init(name: String, identity: String, path: String, seat: String) {
      self.name = name
      self.identity = identity
      self.path = path
      self.seat = seat
    }
  }

  /// What the rules decide about a device.
  public enum Decision: Equatable, Sendable {
    /// It is a touchscreen, whatever udev says.
    case touchscreen
    /// Udev's tags decide.
    case asTagged
    /// It is left out.
    case ignored
    /// It is left out, because it is another seat's and no rule mentions it.
    case foreignSeat
  }

  public let match: Match
  public let use: Bool

  public init?(_ text: String, use: Bool) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let rest = String(text[text.index(after: colon)...])
    if rest.isEmpty { return nil }
    switch text[..<colon] {
    case "name":
      match = .name(rest)
    case "path":
      match = .path(rest)
    case "seat":
      match = .seat(rest)
    case "id":
      let parts = rest.lowercased().split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.count == 4 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
      match = .id(rest.lowercased())
    default:
      return nil
    }
    self.use = use
  }

  public func matches(_ device: Device) -> Bool {
    switch match {
    case .name(let pattern): fnmatch(pattern, device.name, 0) == 0
    case .id(let id): id == device.identity
    case .path(let pattern): fnmatch(pattern, device.path, 0) == 0
    case .seat(let pattern): fnmatch(pattern, device.seat, 0) == 0
    }
  }

  /// Of the rules that match a device the last one decides. Without any, a device of a seat other than seat0 is left
  /// out: another screen is before that seat. A whole seat that is used is no reason to take its mice for touchscreens.
  public static func decide(_ rules: [DeviceRule], on device: Device) -> Decision {
    guard let rule = rules.last(where: { $0.matches(device) }) else {
      return device.seat == "seat0" ? .asTagged : .foreignSeat
    }
    switch (rule.use, rule.match) {
    case (false, _): return .ignored
    case (true, .seat): return .asTagged
    case (true, .name), (true, .id), (true, .path): return .touchscreen
    }
  }
}
