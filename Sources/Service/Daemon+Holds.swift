import ControlAPI
import Glibc
import HTTPTypes
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI

/// Holds: somebody wants nothing to be applied for a while.
extension Daemon {
  /// So many at once, with and without an end of their own.
  static let mostHolds = 64

  func hold(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let peer = incoming.request.peer
    try permissions(peer).require(.hold)
    let request = try CheckedHold(body: incoming.request.body, longest: configuration.maxHold)
    try checkScreen(request.screen)
    let wall = SystemClock.wall
    let until = request.ttl.map { wall + $0 }
    guard scheduler.activeHolds.count < Self.mostHolds else {
      throw StateProblem.tooManyHolds(limit: Self.mostHolds)
    }
    let hold = Hold(
      id: newID(), screen: request.screen, owner: Submitter(uid: peer.uid, pid: peer.pid),
      unit: Self.unit(ofProcess: peer.pid), reason: request.reason, since: wall, until: until)
    log.info("held by user \(peer.uid), process \(peer.pid) (\(hold.id)): \(hold.reason)")
    if until != nil {
      try ask(scheduler.hold(hold, at: now), incoming.token)
    } else {
      streams[incoming.token] = .hold(hold.id)
      perform(scheduler.hold(hold, at: now), now)
      server.openStream(incoming.token)
      _ = server.write(incoming.token, Replies.line(replies(now).hold(hold)), now: now)
    }
    return nil
  }

  func holds(_ now: Instant) -> HTTPResponse {
    Replies.json(200, HoldListReply(holds: scheduler.activeHolds.map(replies(now).hold)))
  }

  /// One's own, or with the right `Admin=` any. One that is bound to a connection ends that, too.
  func release(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    guard let hold = scheduler.activeHolds.first(where: { $0.id.text == text }) else {
      throw StateProblem.unknownHold(text)
    }
    let peer = incoming.request.peer
    try permissions(peer).requireHold(of: hold.owner.uid)
    log.info("hold \(hold.id) released by user \(peer.uid), process \(peer.pid)")
    if hold.until != nil {
      try ask(scheduler.release(hold.id, at: now), incoming.token)
      return nil
    }
    for (token, owner) in streams where owner == .hold(hold.id) {
      streams[token] = nil
      server.end(token)
    }
    perform(scheduler.release(hold.id, at: now), now)
    return Replies.json(200, replies(now).hold(hold))
  }

  /// The unit that a process belongs to, from its control group; nil: none, or it is gone.
  private static func unit(ofProcess pid: Int32) -> String? {
    let descriptor = open("/proc/\(pid)/cgroup", O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let names = text.split(separator: "\n").flatMap { $0.split(separator: "/") }
    return names.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }.map { String($0).shortened }
  }
}
