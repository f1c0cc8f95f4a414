/// The process at the other end of a connection, as the kernel saw it when it connected (SO_PEERCRED, SO_PEERGROUPS).
public struct Peer: Equatable, Sendable {
  public var pid: Int32
  public var uid: UInt32
  public var gid: UInt32
  /// Supplementary groups.
  public var groups: [UInt32]

  public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
    self.groups = groups
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  /// Whether `group` is the primary group or one of the supplementary groups.
  public func isMember(of group: UInt32) -> Bool { gid == group || groups.contains(group) }
}
