import Glibc

/// `[Devices] Use=` or `Ignore=`: whether a device counts as a touchscreen, whatever udev's tag says.
public struct DeviceRule: Equatable, Sendable {
  public enum Match: Equatable, Sendable {
    /// The kernel's name of the device; fnmatch(3).
    case name(String)
    /// `vendor:product` in four hexadecimal digits each, as lsusb prints them.
    case id(String)
    /// ID_PATH of udev; fnmatch(3).
    case path(String)
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
    case "id":
      let parts = rest.lowercased().split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.count == 4 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
      match = .id(rest.lowercased())
    default:
      return nil
    }
    self.use = use
  }

  public func matches(name: String, identity: String, path: String) -> Bool {
    switch match {
    case .name(let pattern): fnmatch(pattern, name, 0) == 0
    case .id(let id): id == identity
    case .path(let pattern): fnmatch(pattern, path, 0) == 0
    }
  }
}
