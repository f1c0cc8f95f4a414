public import HTTPTypes

/// A right that `[Rights]` grants; the raw value is the name of the setting.
public enum Right: String, CaseIterable, Sendable {
  /// Apply an update whatever blocks it.
  case force = "Force"
  /// Hold screens and take turns.
  case hold = "Hold"
  /// Take a turn that grabs the touchscreens: other programs get no touches meanwhile.
  case grab = "Grab"
  /// Pause and resume, access the updates and holds of others.
  case admin = "Admin"
}

/// What one peer is allowed to do.
public struct Permissions {
  public let peer: Peer
  private let grants: (Right) -> Bool

  /// `has`: whether the configuration grants a right to the peer.
  public init(_ peer: Peer, has: @escaping (Right) -> Bool) {
    self.peer = peer
    grants = has
  }

  public func has(_ right: Right) -> Bool { grants(right) }

  public func require(_ right: Right) throws(CallRefusal) {
    if !has(right) { throw CallProblem.lacksRight(uid: peer.uid, right).refusal }
  }

  /// An update is accessible to its submitter and with the right `Admin=`.
  public func requireUpdate(of submitter: UInt32) throws(CallRefusal) {
    try requireOwner(submitter, or: .updateOfOther(uid: submitter))
  }

  /// A hold is released by its owner or with the right `Admin=`.
  public func requireHold(of owner: UInt32) throws(CallRefusal) {
    try requireOwner(owner, or: .holdOfOther(uid: owner))
  }

  /// A turn is ended by its owner or with the right `Admin=`.
  public func requireTurn(of owner: UInt32) throws(CallRefusal) {
    try requireOwner(owner, or: .turnOfOther(uid: owner))
  }

  private func requireOwner(_ owner: UInt32, or problem: CallProblem) throws(CallRefusal) {
    if peer.uid != owner && !has(.admin) { throw problem.refusal }
  }

  /// Who is allowed to submit to a handler is also allowed to receive its updates.
  ///
  /// `isAllowed`: whether the handler's `AllowUsers=` and `AllowGroups=` contain the peer. `file`: where they are set.
  public func requireHandler(_ name: String, isAllowed: Bool, file: String) throws(CallRefusal) {
    if !isAllowed && !has(.admin) {
      throw CallProblem.handlerForbidden(uid: peer.uid, handler: name, file: file).refusal
    }
  }
}
