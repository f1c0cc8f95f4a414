import FoundationEssentials
import HTTPTypes
import Testing
import Timeline
import TouchgateAPI

@testable import SocketServer

@Suite("Limits and misbehaving clients")
struct LimitTests {
  @Test("a client that disconnects before its answer leaves nothing behind")
  func goneBeforeAnswer() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    let incoming = try trial.takeRequest()
    #expect(trial.server.openConnections == 1)
    client.close()
    #expect(trial.serve { trial.server.openConnections == 0 })
    trial.server.respond(incoming.token, HTTPResponse(status: 200))
    trial.server.run(now: trial.now)
    #expect(trial.server.nextDeadline == nil)
  }

  @Test("a client that disconnects while its answer waits to be sent does no harm")
  func goneBeforeSending() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    let incoming = try trial.takeRequest()
    client.close()
    trial.server.respond(
      incoming.token, HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 4_000_000)))
    #expect(trial.serve { trial.server.openConnections == 0 })
  }

  @Test("a client that disconnects within its request leaves nothing behind")
  func goneInMidRequest() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123")
    #expect(trial.serve { trial.server.openConnections == 1 })
    client.close()
    #expect(trial.serve { trial.server.openConnections == 0 })
    #expect(trial.requests.isEmpty)
  }

  @Test("a body with a too large Content-Length is refused at once, and the service continues")
  func announcedTooLarge() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(Limits.body + 1)\r\n\r\nabc")
    try expectRefused(trial.reply(to: client), 413, "bodyTooLarge")
    #expect(
      trial.serve {
        client.receive()
        return client.ended && trial.server.openConnections == 0
      })
    let next = try trial.client()
    next.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try trial.takeRequest().request.path == "/next")
  }

  @Test("a chunked body that grows too large is refused when it ends")
  func chunkedTooLarge() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 65, count: 0x10000) + Array("\r\n".utf8)
    var rest = (0...(Limits.body / 0x10000)).flatMap { _ in chunk }[...] + Array("0\r\n\r\n".utf8)
    #expect(
      trial.serve {
        rest = rest.dropFirst(max(0, client.send(Array(rest))))
        return rest.isEmpty
      })
    try expectRefused(trial.reply(to: client), 413, "bodyTooLarge")
    #expect(trial.requests.isEmpty)
  }

  @Test("a header above the limit is refused")
  func headerTooLarge() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: Limits.header))\r\n\r\n")
    try expectRefused(trial.reply(to: client), 431, "headerTooLarge")
    let huge = try trial.client()
    huge.send("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 8 * Limits.header))\r\n\r\n")
    #expect(try trial.reply(to: huge).status == 431)
    #expect(trial.requests.isEmpty)
  }

  @Test("a client that sends too slowly is dropped at its deadline and not before")
  func slow() throws {
    let trial = try ServerUnderTest()
    let start = trial.now
    let client = try trial.client()
    client.send("GET / HT")
    #expect(trial.serve { trial.server.openConnections == 1 })
    #expect(trial.server.nextDeadline == start + .seconds(Limits.requestSeconds))

    trial.now = start + .seconds(Limits.requestSeconds) - .nanoseconds(1)
    client.send("TP/1.1\r\n")
    trial.server.timePassed(now: trial.now)
    trial.server.run(now: trial.now)
    #expect(trial.server.openConnections == 1)
    #expect(trial.server.nextDeadline == start + .seconds(Limits.requestSeconds))

    trial.now = start + .seconds(Limits.requestSeconds)
    trial.server.timePassed(now: trial.now)
    #expect(
      trial.serve {
        client.receive()
        return client.ended && trial.server.openConnections == 0
      })
    #expect(trial.server.nextDeadline == nil)
  }

  @Test("a request that waits for its answer has no deadline, and its connection has one again afterwards")
  func waitingHasNoDeadline() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    let incoming = try trial.takeRequest()
    #expect(trial.server.nextDeadline == nil)
    trial.now = trial.now + .seconds(3600)
    trial.server.timePassed(now: trial.now)
    trial.server.respond(incoming.token, HTTPResponse(status: 200))
    #expect(try trial.reply(to: client).status == 200)
    #expect(trial.server.nextDeadline == trial.now + .seconds(Limits.requestSeconds))
  }

  @Test("a client that does not read its answer is dropped at its deadline")
  func neverReads() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    let incoming = try trial.takeRequest()
    trial.server.respond(incoming.token, HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 4_000_000)))
    #expect(trial.serve { trial.server.nextDeadline != nil })
    #expect(trial.isQuiet)
    trial.now = trial.now + .seconds(Limits.requestSeconds)
    trial.server.timePassed(now: trial.now)
    #expect(trial.serve { trial.server.openConnections == 0 })
  }

  @Test("clients that are idle, sending, half closed or waiting do not keep the loop busy")
  func quiet() throws {
    let trial = try ServerUnderTest()
    let clients = try ["", "GET", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1"].map { text in
      let client = try trial.client()
      client.send(text)
      return client
    }
    let waiting = try trial.client()
    waiting.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n")
    waiting.shutdownSending()
    _ = try trial.takeRequest()
    #expect(trial.isQuiet)
    #expect(trial.server.openConnections == clients.count + 1)
  }

  /// Whose connection comes next.
  private final class NextUser {
    var uid: UInt32 = 1000
  }

  private func underTest(_ user: NextUser) throws -> ServerUnderTest {
    try ServerUnderTest { _ in Peer(pid: 1, uid: user.uid, gid: 100) }
  }

  /// `count` connections of a user, accepted.
  private func connect(_ count: Int, _ uid: UInt32, _ user: NextUser, _ trial: ServerUnderTest) throws -> [RawClient] {
    user.uid = uid
    let before = trial.server.openConnections
    let clients = try (0..<count).map { _ in try trial.client() }
    try #require(trial.serve { trial.server.openConnections == before + count })
    return clients
  }

  /// The answer to a client for whom there is no place, after it has waited for one.
  private func refusal(of client: RawClient, _ trial: ServerUnderTest) throws -> RawReply {
    try #require(trial.isQuiet)
    trial.now = trial.now + SurplusConnections.patience
    return try trial.reply(to: client)
  }

  @Test("a user's connection above the limit waits for a place, and is refused after a second")
  func perUser() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let most = Limits.connections.perUser
    let clients = try connect(most, 1000, user, trial)
    let further = try trial.client()
    // In two pieces, and the body after the refusal.
    further.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r")
    #expect(trial.isQuiet)
    #expect(trial.server.nextDeadline == trial.now + SurplusConnections.patience)
    trial.now = trial.now + SurplusConnections.patience
    #expect(trial.isQuiet)
    further.receive()
    #expect(further.received == [], "the head is not complete")
    further.send("\n")
    try expectRefused(trial.reply(to: further), 429, "tooManyConnections")
    #expect(further.send([UInt8](repeating: 0, count: 100_000)) == 100_000, "no EPIPE")
    #expect(
      trial.serve {
        further.receive()
        return further.ended
      })
    #expect(trial.server.openConnections == most)

    let next = try trial.client()
    next.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(trial.isQuiet)
    clients[0].close()
    _ = try trial.takeRequest()
    #expect(trial.server.openConnections == most)
  }

  @Test("a surplus client that sends nothing, too much or without end is answered and closed, and the loop has rest")
  func surplusAndHostile() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let clients = try connect(Limits.connections.perUser, 1000, user, trial)
    let silent = try trial.client()
    let endless = try trial.client()
    let gone = try trial.client()
    #expect(trial.isQuiet)
    gone.close()
    endless.send([UInt8](repeating: UInt8(ascii: "x"), count: Limits.header + 1))
    try expectRefused(refusal(of: endless, trial), 429, "tooManyConnections")
    silent.receive()
    #expect(silent.received == [])
    try expectRefused(refusal(of: silent, trial), 429, "tooManyConnections")
    #expect(
      trial.serve {
        silent.receive()
        endless.receive()
        return silent.ended && endless.ended
      })
    // More at once than may wait.
    let crowd = try (0..<SurplusConnections.most.perUser + 1).map { _ in try trial.client() }
    #expect(
      trial.serve {
        for client in crowd { client.receive() }
        return crowd.contains { $0.ended }
      })
    #expect(crowd.count { $0.ended } == 1)
    #expect(trial.server.openConnections == clients.count)
  }

  /// `count` requests of a user that are kept open. Returns what they ask for.
  private func keepOpen(_ count: Int, _ uid: UInt32, _ user: NextUser, _ trial: ServerUnderTest) throws -> [RawClient] {
    user.uid = uid
    return try (0..<count).map { _ in
      let client = try trial.client()
      client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
      let token = try trial.takeRequest().token
      try #require(trial.server.keepOpen(token) == nil)
      return client
    }
  }

  @Test("requests that stay open have a limit of their own, so short ones of the same user always find a place")
  func openRequests() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let open = try keepOpen(Limits.openRequests.perUser, 1000, user, trial)
    let further = try trial.client()
    further.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
    let token = try trial.takeRequest().token
    #expect(trial.server.keepOpen(token)?.status == 429)
    trial.server.respond(token, HTTPResponse(status: 204))
    _ = try trial.reply(to: further)
    // As many short ones as ever.
    let short = try connect(Limits.connections.perUser - 1, 1000, user, trial)
    try expectRefused(
      {
        let refused = try trial.client()
        refused.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return try refusal(of: refused, trial)
      }(), 429, "tooManyConnections")
    // One that ends makes room for another.
    open[0].close()
    try #require(trial.serve { !trial.server.takeGone().isEmpty })
    further.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(trial.server.keepOpen(try trial.takeRequest().token) == nil)
    #expect(short.count + open.count == trial.server.openConnections)
  }

  @Test("at the total limit of open requests the last of the user who has most ends for root's")
  func openRequestsOfAll() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let (all, most) = (Limits.openRequests.all, Limits.openRequests.perUser)
    let clients = try (0..<all / most).map { try keepOpen(most, UInt32(1000 + $0), user, trial) }
    let root = try keepOpen(2, 0, user, trial)
    #expect(
      trial.serve {
        for client in clients.joined() { client.receive() }
        return clients.joined().count { $0.ended } == root.count
      })
    #expect(clients.filter { $0.contains { $0.ended } }.allSatisfy { $0.last?.ended == true })
    user.uid = 1000
    let refused = try trial.client()
    refused.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(trial.server.keepOpen(try trial.takeRequest().token)?.status == 429)
    user.uid = 3000
    let newcomer = try keepOpen(1, 3000, user, trial)
    #expect(newcomer.count == 1)
  }

  @Test("root has no limit of its own, and eight users at their limit do not lock it out: one of theirs ends")
  func root() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let (all, most) = (Limits.connections.all, Limits.connections.perUser)
    var clients: [RawClient] = []
    for uid in 0..<(all / most) { clients += try connect(most, UInt32(1000 + uid), user, trial) }
    #expect(clients.count == all)
    user.uid = 0
    let root = try (0..<most * 2).map { _ in try trial.client() }
    for client in root { client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
    #expect(
      trial.serve { trial.requests.count == root.count },
      "\(trial.requests.count) requests, \(trial.server.openConnections) connections")
    #expect(trial.requests.allSatisfy { $0.request.peer.uid == 0 })
    #expect(trial.serve { trial.server.openConnections == all })
    for client in clients { client.receive() }
    #expect(clients.count { $0.ended } == root.count)
    user.uid = 1000
    let further = try trial.client()
    further.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(trial.serve { trial.requests.contains { $0.request.peer.uid == 1000 } }, "root has most now")
    #expect(trial.serve { trial.server.openConnections == all })
  }

  @Test("at the total limit nobody gives way to a user who would then have as many")
  func full() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let (all, most) = (Limits.connections.all, Limits.connections.perUser)
    var clients: [RawClient] = []
    for uid in 0..<(all / most) { clients += try connect(most, UInt32(1000 + uid), user, trial) }
    clients[0].close()
    try #require(trial.serve { trial.server.openConnections == all - 1 })
    clients += try connect(1, 2000, user, trial)
    user.uid = 1000
    let further = try trial.client()
    further.send("GET / HTTP/1.1\r\n\r\n")
    try expectRefused(refusal(of: further, trial), 503, "tooManyConnections")
    #expect(trial.server.openConnections == all)
  }

  @Test("at the total limit an idle connection of the user who has most ends, not one that waits for its answer")
  func idleGivesWay() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let (all, most) = (Limits.connections.all, Limits.connections.perUser)
    // Root has most.
    let idle = try connect(all - 2 * most, 0, user, trial)
    let busy = try connect(1, 0, user, trial)
    busy[0].send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try trial.takeRequest()
    let others = try connect(most, 1000, user, trial) + connect(most - 1, 1001, user, trial)
    user.uid = 1002
    let next = try trial.client()
    next.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try trial.takeRequest().request.peer.uid == 1002)
    #expect(
      trial.serve {
        idle.last?.receive()
        return idle.last?.ended == true
      })
    for client in busy + others { client.receive() }
    #expect(!(busy + others).contains { $0.ended })
  }

  @Test("a request that waits for its answer is over when its connection gives way")
  func waitingGivesWay() throws {
    let user = NextUser()
    let trial = try underTest(user)
    let all = Limits.connections.all
    let clients = try connect(all, 0, user, trial)
    for client in clients { client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
    let tokens = try clients.map { _ in try trial.takeRequest().token }
    _ = try connect(0, 1000, user, trial)
    let next = try trial.client()
    next.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try trial.takeRequest()
    var gone: [RequestToken] = []
    #expect(
      trial.serve {
        gone += trial.server.takeGone()
        return trial.server.openConnections == all
      })
    #expect(gone == [tokens.last])
  }

  @Test("stopping closes every connection, also waiting ones, and the socket")
  func stop() throws {
    let trial = try ServerUnderTest()
    let waiting = try trial.client()
    waiting.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    let incoming = try trial.takeRequest()
    let idle = try trial.client()
    #expect(trial.serve { trial.server.openConnections == 2 })
    trial.server.stop()
    waiting.receive()
    idle.receive()
    #expect(waiting.ended && idle.ended)
    #expect(trial.server.openConnections == 0)
    trial.server.respond(incoming.token, HTTPResponse(status: 200))
    trial.server.run(now: trial.now)
    #expect(throws: NotConnected.self) { try trial.client() }
  }

  private func expectRefused(_ reply: RawReply, _ status: Int, _ code: String) throws {
    #expect(reply.status == status)
    #expect(try JSONDecoder().decode(ProblemReply.self, from: Data(reply.body.utf8)).error.code == code)
  }
}
