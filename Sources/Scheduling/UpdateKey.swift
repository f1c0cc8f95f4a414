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
    update.key.map { key(update.handler, $0, of: update.submitter.uid) }
  }

  /// Whose a key is that an update of `user` for this handler has; nil: everybody's (`SharedKeys=yes`, or it is the
  /// handler's `Key=`).
  public func keyOwner(_ handler: String, _ key: String, _ user: UInt32) -> UInt32? {
    let policy = policy(of: handler)
    return policy.sharesKeys || policy.key == key ? nil : user
  }

  /// The update that waits with this key of `user`; nil if there is none, or it is not stored yet.
  public func waiting(handler: String, key: String, user: UInt32) -> UpdateID? {
    line.member(self.key(handler, key, of: user))
  }

  private func key(_ handler: String, _ key: String, of user: UInt32) -> UpdateKey {
    UpdateKey(handler: handler, key: key, user: keyOwner(handler, key, user))
  }
}
