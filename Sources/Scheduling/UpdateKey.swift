/// What an update is about: updates with equal keys supersede each other, as the handler's `Coalesce=` says.
struct UpdateKey: Hashable, Sendable {
  let handler: String
  let key: String
  /// Whose key it is; nil: everybody's.
  let user: UInt32?
}

extension Scheduler {
  /// Nil: the update is about nothing else.
  func key(of update: Update) -> UpdateKey? {
    update.key.map { UpdateKey(handler: update.handler, key: $0, user: keyOwner(update.handler, update.submitter.uid)) }
  }

  /// Whose a key is that `user` gave an update of this handler; nil: everybody's (`SharedKeys=yes`).
  public func keyOwner(_ handler: String, _ user: UInt32) -> UInt32? { policy(of: handler).sharesKeys ? nil : user }

  /// The update that waits with this key of `user`; nil if there is none, or it is not stored yet.
  public func waiting(handler: String, key: String, user: UInt32) -> UpdateID? {
    line.member(UpdateKey(handler: handler, key: key, user: keyOwner(handler, user)))
  }
}
