import Glibc

/// The update that a verb is about: its ID and, with `--user`, whose own ID that is.
struct ChosenUpdate: Equatable {
  let id: String
  /// Nil: the caller's, or the ID that the service gave.
  let user: UInt32?
}

extension Arguments {
  /// The update that an operand names; nil if it is not given. Throws if `--user` names no user of this machine.
  func update(_ operand: Operand) throws(UsageError) -> ChosenUpdate? {
    guard let id = self[operand] else { return nil }
    return ChosenUpdate(id: id, user: try user())
  }

  /// The same for an operand that the form requires.
  func requiredUpdate(_ operand: Operand) throws(UsageError) -> ChosenUpdate {
    ChosenUpdate(id: try required(operand), user: try user())
  }

  /// The user that `--user` names, as a number or by name (getpwnam(3)).
  private func user() throws(UsageError) -> UInt32? {
    guard let name = self[.user] else { return nil }
    guard let uid = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
      throw UsageError(.unknownUser(name), verb: verb.name)
    }
    return uid
  }
}
