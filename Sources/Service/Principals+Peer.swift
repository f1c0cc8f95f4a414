import HTTPTypes
import ServiceConfiguration

extension Principals {
  /// Whether the process at the other end of the socket has the right.
  func contains(_ peer: Peer) -> Bool { contains(uid: peer.uid, gid: peer.gid, groups: peer.groups) }
}
