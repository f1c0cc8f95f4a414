import CLinux
import Glibc
import HTTPTypes

/// Who is at the other end of a connection, from the kernel (SO_PEERCRED, SO_PEERGROUPS).
enum PeerCredentials {
  static func read(_ descriptor: CInt) -> Peer {
    var (pid, uid, gid): (CInt, CUnsignedInt, CUnsignedInt) = (0, .max, .max)
    // This cannot fail on a connected Unix socket; if it did, uid 4294967295 has no rights.
    _ = tg_peer_credentials(descriptor, &pid, &uid, &gid)
    return Peer(pid: pid, uid: uid, gid: gid, groups: groups(descriptor))
  }

  private static func groups(_ descriptor: CInt) -> [UInt32] {
    var groups = [CUnsignedInt](repeating: 0, count: 64)
    var count = tg_peer_groups(descriptor, &groups, CUnsignedInt(groups.count))
    if count < 0 && errno == ERANGE {
      groups = [CUnsignedInt](repeating: 0, count: 65536)  // NGROUPS_MAX
      count = tg_peer_groups(descriptor, &groups, CUnsignedInt(groups.count))
    }
    return Array(groups.prefix(Int(max(0, count))))
  }
}
