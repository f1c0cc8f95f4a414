import Glibc
public import Scheduling

/// Users and groups that have a right. Root has every right and is not listed.
public struct Principals: Equatable, Sendable {
  /// User ids.
  private var users: Set<UInt32> = []
  /// Group ids.
  private var groups: Set<UInt32> = []

  /// Nobody but root.
  public init() {}

  /// Reads `lobby 1000 @kiosk`: names or numbers of users, and of groups with `@`, as they are now (getpwnam(3),
  /// getgrnam(3)).
  init(_ text: String) throws(Refused) {
    for word in Self.words(text) {
      if word.first == "@" { try addGroup(String(word.dropFirst())) } else { try addUser(word) }
    }
  }

  /// Reads users only.
  init(users text: String) throws(Refused) {
    for word in Self.words(text) { try addUser(word) }
  }

  /// Reads groups only, without `@`.
  init(groups text: String) throws(Refused) {
    for word in Self.words(text) { try addGroup(word) }
  }

  /// Whether a process has the right.
  ///
  /// - Parameters:
  ///   - uid: its user
  ///   - gid: its primary group
  ///   - supplementary: its other groups
  public func contains(uid: UInt32, gid: UInt32, groups supplementary: [UInt32]) -> Bool {
    uid == 0 || users.contains(uid) || groups.contains(gid) || supplementary.contains(where: groups.contains)
  }

  /// Whether the submitter of an update has the right, by what was stored when the update was accepted: no name is looked
  /// up.
  ///
  /// - Parameter unknown: the answer if its groups are not known and a group might have the right.
  public func contains(_ submitter: Submitter, ifGroupsAreUnknown unknown: Bool) -> Bool {
    guard let all = submitter.groups else {
      return contains(uid: submitter.uid, gid: .max, groups: []) || (unknown && !groups.isEmpty)
    }
    return submitter.uid == 0 || users.contains(submitter.uid) || all.contains(where: groups.contains)
  }

  /// Adds the users and groups of `other`.
  mutating func formUnion(_ other: Principals) {
    users.formUnion(other.users)
    groups.formUnion(other.groups)
  }

  private mutating func addUser(_ name: String) throws(Refused) {
    guard let id = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
      throw Refused(.unknownUser, name.quotedForMessage)
    }
    users.insert(id)
  }

  private mutating func addGroup(_ name: String) throws(Refused) {
    guard let id = UInt32(name) ?? getgrnam(name)?.pointee.gr_gid else {
      throw Refused(.unknownGroup, name.quotedForMessage)
    }
    groups.insert(id)
  }

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\t" }.map(String.init)
  }
}

/// `[Rights]`: who may do what concerns others.
public struct Rights: Equatable, Sendable {
  /// `Force=`: apply an update although something blocks it, a contact included.
  public var force = Principals()
  /// `Hold=`; nil: everybody who can open the socket.
  public var hold: Principals?
  /// `Grab=`: take a turn with `guard=grab`, which keeps touches from all other programs.
  public var grab = Principals()
  /// `Admin=`: pause and resume, and change the updates and holds of others.
  public var admin = Principals()
}
