import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI
import UpdateStore

/// Carries out the calls of the socket: checks a request against the configuration and the queue, feeds the engine, and
/// answers at once, when a write is durable, or when an update ends.
///
/// Its own state is who waits for an answer, which replies stay open, and the event feed.
final class Calls {
  let log: Log
  let engine: Engine
  let runner: HandlerRunner
  let server: any CallServer
  let haptics: FeedbackDesk
  let metrics: Metrics
  let touch: ScreensInUse
  let stateDirectory: String
  private(set) var configuration: Configuration
  private(set) var clock = ReplyClock(wall: SystemClock.wall, monotonic: SystemClock.monotonic)
  var answers = PendingAnswers()
  var open = OpenReplies()
  var feed = EventFeed(run: .random(in: 1..<1 << 20))
  var overrunTurns = OverrunTurns()
  /// Handlers that deliver to applications, as far as the scheduler has been told.
  private var delivering: Set<String> = []

  init(
    _ configuration: Configuration, engine: Engine, runner: HandlerRunner, server: any CallServer,
    haptics: FeedbackDesk,
    metrics: Metrics, log: Log, stateDirectory: String, screens: ScreensInUse
  ) {
    self.configuration = configuration
    self.engine = engine
    self.runner = runner
    self.server = server
    self.haptics = haptics
    self.metrics = metrics
    self.log = log
    self.stateDirectory = stateDirectory
    touch = screens
  }

  /// At the start and after a reload: the scheduler is told which handlers have a receiver.
  func configure(_ new: Configuration, _ now: Instant) {
    configuration = new
    let names = Set(new.handlers.filter { $0.value.kind == .delivery }.keys)
    for name in names {
      engine.feed { $0.receivers(of: name, present: !open.receivers(of: name).isEmpty, at: now) }
    }
    // One that no longer delivers, or is gone, waits for nobody.
    for name in delivering.subtracting(names) { engine.feed { $0.receivers(of: name, present: true, at: now) } }
    delivering = names
  }

  // MARK: Requests

  /// Takes whole requests from the server, after it has read what was there.
  func takeRequests(_ now: Instant) {
    clock.follow(wall: SystemClock.wall, monotonic: now)
    for token in server.takeGone() { clientGone(token, now) }
    for incoming in server.takeRequests() { handle(incoming, now) }
  }

  private func handle(_ incoming: IncomingRequest, _ now: Instant) {
    answer(incoming.token) {
      let call = try Endpoint.call(for: incoming.request)
      let caller = Caller(incoming, now)
      if call.mayStayOpen(caller.query), let refusal = server.keepOpen(caller.token) { return refusal }
      return try perform(call, caller)
    }
  }

  /// One request while it is being carried out.
  struct Caller {
    let token: RequestToken
    let request: HTTPRequest
    let now: Instant

    init(_ incoming: IncomingRequest, _ now: Instant) {
      token = incoming.token
      request = incoming.request
      self.now = now
    }

    var peer: Peer { request.peer }
    var submitter: Submitter { Submitter(uid: peer.uid, pid: peer.pid, groups: [peer.gid] + peer.groups) }
    var query: Query { Query(request.query) }
    /// For the log: `user 1000, process 4711`.
    var name: String { "user \(peer.uid), process \(peer.pid)" }
  }

  /// Nil: the answer comes later.
  private func perform(_ call: Call, _ caller: Caller) throws -> HTTPResponse? {
    switch call {
    case .about: Replies.json(200, Replies.about)
    case .contract: Contract.response
    case .status: try status(caller)
    case .screens: try screens(caller)
    case .forgetScreen: try forgetScreen(caller)
    case .metrics: metricsReply(caller)
    case .feedback: try feedback(caller)
    case .submit: try submit(caller)
    case .list: try list(caller)
    case .show(let id), .why(let id): Replies.json(200, replies(caller.now).update(try find(id, caller)))
    case .whyAll: try whyAll(caller)
    case .payload(let id): try payload(id, caller)
    case .parameters(let id): Replies.json(200, try own(id, caller).update.parameters)
    case .cancel(let id): try cancel(id, caller)
    case .expedite(let id): try expedite(id, .apply, caller)
    case .force(let id): try expedite(id, .force, caller)
    case .retry(let id): try retry(id, caller)
    case .wait(let id): try waitForEnd(id, caller)
    case .pause: try pause(caller)
    case .resume: try resume(caller)
    case .hold: try hold(caller)
    case .holds: holds(caller)
    case .release(let id): try release(id, caller)
    case .quiet: try quiet(caller)
    case .turn: try turn(caller)
    case .turns: turns(caller)
    case .endTurn(let id): try endTurn(id, caller)
    case .events: try readEvents(caller)
    case .receive: try receive(caller)
    case .acknowledge(let id): try acknowledge(id, caller)
    case .refuse(let id): try refuse(id, caller)
    }
  }

  // MARK: Answers

  /// Sends what `body` returns, or the problem that it throws; nothing for nil.
  func answer(_ token: RequestToken, _ body: () throws -> HTTPResponse?) {
    let response: HTTPResponse?
    do {
      response = try body()
    } catch let refusal as CallRefusal {
      response = refusal.response
    } catch {
      log.error("a request could not be answered: \(error)")
      response = CallProblem.internalError("\(error)").refusal.response
    }
    if let response { server.respond(token, response) }
  }

  func replies(_ now: Instant) -> Replies { Replies(clock: clock, scheduler: engine.scheduler, now: now) }

  func show(_ id: UpdateID, status: Int, _ now: Instant) throws -> HTTPResponse? {
    try engine.store.find(id).map { Replies.json(status, replies(now).update($0)) }
  }

  func write(_ token: RequestToken, _ value: some Encodable, _ now: Instant) {
    _ = server.write(token, Replies.line(value), now: now)
  }

  /// The request asked for a change; it is answered when that is durable.
  func awaitChange(_ caller: Caller, _ input: (inout Scheduler) -> [Scheduler.Action]) throws {
    var write: StoreWrite?
    engine.feed { scheduler in
      let actions = input(&scheduler)
      if case .store(let its)? = actions.first { write = its }
      return actions
    }
    // Nothing to write: another request of the same moment came first.
    guard let write else { throw StateProblem.changing.refusal }
    answers.awaitChange(write, caller.token)
  }

  // MARK: Looking up

  var input: TouchInput { touch.input }

  /// Of an update, by its handler; of a turn, as its owner asked.
  func guardKind(_ work: Work) -> GuardKind {
    switch work {
    case .update(let update): configuration.handlers[update.handler]?.guardKind ?? .verify
    case .turn(let turn): open.turn(turn.id)?.guardKind ?? .verify
    }
  }

  func permissions(_ caller: Caller) -> Permissions {
    let rights = configuration.rights
    return Permissions(caller.peer) { right in
      switch right {
      case .force: rights.force.contains(caller.peer)
      case .hold: rights.hold?.contains(caller.peer) ?? true
      case .grab: rights.grab.contains(caller.peer)
      case .admin: rights.admin.contains(caller.peer)
      }
    }
  }

  /// The update that the caller means by an id: the caller's own of this name, the one with this id, or, for
  /// administrators, the one that its user calls so.
  func find(_ text: String, _ caller: Caller) throws -> StoredUpdate {
    let (name, store) = (ClientID(text), engine.store)
    let user = try caller.query.user()
    if let user, user != caller.peer.uid { try permissions(caller).require(.admin) }
    if let name, let named = try store.find(name, ofUser: user ?? caller.peer.uid) { return named }
    if let id = UpdateID(text), let stored = try store.find(id), user.map({ $0 == stored.update.submitter.uid }) ?? true
    {
      return stored
    }
    if let name, user == nil, permissions(caller).has(.admin) {
      let named = try store.named(name, limit: Self.mostCandidates)
      if let only = named.first, named.count == 1 { return only }
      if named.count > 1 {
        let candidates = named.map { CandidateReply(id: $0.update.id.text, uid: $0.update.submitter.uid) }
        throw StateProblem.ambiguousID(text, candidates).refusal
      }
    }
    throw StateProblem.unknownUpdate(text).refusal
  }

  /// Most updates that a refusal lists.
  static let mostCandidates = 16

  /// An update that the caller is allowed to access.
  func own(_ text: String, _ caller: Caller) throws -> StoredUpdate {
    let stored = try find(text, caller)
    try permissions(caller).requireUpdate(of: stored.update.submitter.uid)
    return stored
  }

  func definition(_ name: String) throws(CallRefusal) -> HandlerDefinition {
    if let definition = configuration.handlers[name] { return definition }
    throw CallProblem.unknownHandler(name, known: configuration.handlers.keys.sorted()).refusal
  }

  func requireHandler(_ definition: HandlerDefinition, _ caller: Caller) throws(CallRefusal) {
    try permissions(caller).requireHandler(
      definition.name, isAllowed: definition.allowed?.contains(caller.peer) ?? true, file: definition.file)
  }

  /// A ULID: unique among the ids of one kind, and of all kinds.
  func newID<Subject>() -> Identifier<Subject> {
    Identifier(time: SystemClock.wall, randomHigh: .random(in: 0 ... .max), randomLow: .random(in: 0 ... .max))
  }
}
