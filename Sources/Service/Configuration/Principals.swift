import Glibc
import HTTPTypes

/// Users and groups that may do something: `[Rights]` and `Allow…=`. Root may do everything, and stands in no list.
public struct Principals: Equatable, Sendable {
  var users: Set<UInt32> = []
  var groups: Set<UInt32> = []

  /// `lobby 1000 @kiosk`: names or numbers of users, and with `@` of groups, as they are now (getpwnam(3), getgrnam(3)).
  init(_ text: String) throws(ConfigurationValue.Refused) {
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
      if word.first == "@" { try addGroup(String(word.dropFirst())) } else { try addUser(String(word)) }
    }
  }

  init() {}

  mutating func addUser(_ name: String) throws(ConfigurationValue.Refused) {
    guard let id = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
      throw ConfigurationValue.Refused(message: "names the user \(name.quotedForMessage), who is not known here")
    }
    users.insert(id)
  }

  mutating func addGroup(_ name: String) throws(ConfigurationValue.Refused) {
    guard let id = UInt32(name) ?? getgrnam(name)?.pointee.gr_gid else {
      throw ConfigurationValue.Refused(message: "names the group \(name.quotedForMessage), which is not known here")
    }
    groups.insert(id)
  }

  func contains(_ peer: Peer) -> Bool {
    peer.uid == 0 || users.contains(peer.uid) || groups.contains(peer.gid)
      || peer.groups.contains(where: groups.contains)
  }
}

/// `[Rights]`: who may do what concerns others.
public struct Rights: Equatable, Sendable {
  /// `Force=`: apply whatever is in the way, a finger too.
  public var force = Principals()
  /// `Hold=`; nil: whoever may open the socket.
  public var hold: Principals?
  /// `Admin=`: pause and resume, change the updates and holds of others.
  public var admin = Principals()
}
