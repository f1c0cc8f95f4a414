import Glibc
public import Linux

/// The file of a polkit rule, which polkitd reads again whenever it changes.
public struct PolkitRuleFile {
  public let path: String

  public init(path: String) { self.path = path }

  public enum Outcome: Equatable, Sendable {
    case unchanged
    case written
    case removed
    /// Its folder does not exist: polkit is not installed.
    case noFolder
  }

  /// Replaces the file with this rule in one step, readable for polkitd (mode 0644). Without permissions the file is
  /// removed. A file with the same text is left alone. Throws `Errno`.
  public func write(_ permissions: UnitPermissions) throws(Errno) -> Outcome {
    if permissions.isEmpty {
      if unlink(path) == 0 { return .removed }
      let reason = Errno()
      if reason.code == ENOENT { return .unchanged }
      throw reason
    }
    let text = Array(permissions.rule.utf8)
    if let old = try? readFile(path, limit: text.count + 1, flags: O_NOFOLLOW), old == text { return .unchanged }
    do throws(Errno) {
      // Polkit reads only names that end with .rules, so not the draft.
      try replaceFile(path, with: text, mode: 0o644)
    } catch {
      if error.code == ENOENT { return .noFolder }
      throw error
    }
    return .written
  }
}
