import Glibc
import HTTPTypes
import Linux
import Scheduling
import ServiceConfiguration
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
    if let right = configuration.rights.hold { try require(right, "Hold", peer) }
    let request: HoldRequest = try StrictJSON.decode(incoming.request.body, fields: HoldRequest.fields)
    guard (1...200).contains(request.reason.utf8.count) else {
      throw Problem(code: "badReason", message: "a reason has 1 to 200 bytes", field: "reason")
    }
    try checkScreen(request.screen)
    let wall = SystemClock.wall
    var until: WallTime?
    if let text = request.ttl {
      guard let span = try? TimeSpan.asked(text, "ttl"), span > .zero, span <= configuration.maxHold else {
        let most = TimeSpan.describe(configuration.maxHold)
        throw Problem(
          code: "badTime", message: "ttl is a span such as 10min, at most \(most) (MaxHold=)", field: "ttl")
      }
      until = wall + span
    }
    guard scheduler.activeHolds.count < Self.mostHolds else {
      throw Refusal(
        429, Problem(code: "tooManyHolds", message: "there are \(Self.mostHolds) holds already; see GET /v1/holds"),
        headers: [HTTPHeader("Retry-After", "10")])
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
      throw Refusal(404, Problem(code: "noSuchID", message: "there is no hold with the id '\(text.shortened)'"))
    }
    let peer = incoming.request.peer
    guard hold.owner.uid == peer.uid || configuration.rights.admin.contains(peer) else {
      throw Refusal(
        403,
        Problem(
          code: "notYours", message: "the hold belongs to user \(hold.owner.uid), and you lack the right Admin="))
    }
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
