import Glibc

/// What went wrong with a device, where, and what to do.
public struct EvdevError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The device node, or the part of the system, that failed.
  public let subject: String
  /// The errno.
  public let code: CInt
  /// What the administrator can do, if anything.
  public let advice: String?

  public init(_ subject: String, _ code: CInt, advice: String? = nil) {
    self.subject = subject
    self.code = code
    self.advice = advice
  }

  static func opening(_ node: String, _ code: CInt) -> EvdevError {
    let advice: String? =
      switch code {
      case EACCES, EPERM: "add the service's user to the group 'input', or start it with systemctl"
      default: nil
      }
    return EvdevError("cannot open \(node)", code, advice: advice)
  }

  /// The device is gone for good, and its node has no meaning.
  public var isGone: Bool { code == ENODEV || code == ENOENT || code == ENXIO }

  public var description: String {
    let text = "\(subject): \(String(cString: strerror(code)))"
    return advice.map { "\(text); \($0)" } ?? text
  }
}
