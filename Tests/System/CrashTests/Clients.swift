import Foundation
import Seeded
import Synchronization
import TouchgateAPI
import TouchgateClient

/// Clients that submit, submit again with the same id if they got no answer, show and cancel, whatever happens to the
/// service; and remember the answers.
final class Clients: Sendable {
  struct Memory: Sendable {
    var wanted: [String: Wanted] = [:]
    /// Submitted without an answer.
    var unsure: [SubmitRequest] = []
    /// Accepted, and unknown later.
    var missing: [String] = []
    /// Refused without a good reason.
    var strange: [String] = []
    /// Number of refusals by code.
    var refusals: [String: Int] = [:]
    /// Recently accepted, to show and to cancel.
    var recent: [SubmitRequest] = []
    var waiting = 0
    var isStopped = false
    /// Threads.
    var running = 0
    var count = 0
  }

  private let memory = Mutex(Memory())
  private let connection: TouchgateConnection
  private let log: String

  /// Bytes in each payload after the id.
  private let padding: Int

  init(socket: String, log: String, padding: Int) {
    self.padding = padding
    connection = TouchgateConnection(path: socket, timeout: .seconds(5))
    self.log = log
  }

  func with<R: Sendable>(_ body: (inout Memory) -> R) -> R { memory.withLock { body(&$0) } }

  func start(_ number: Int, seed: UInt64) {
    for client in 0..<number {
      with { $0.running += 1 }
      Thread.detachNewThread { self.work(seed: seed &+ UInt64(client)) }
    }
  }

  private func work(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    while !with({ $0.isStopped }) {
      act(&random)
      usleep(UInt32(1000 + random.below(6000)))
    }
    with { $0.running -= 1 }
  }

  func stop() {
    with { $0.isStopped = true }
    while with({ $0.running }) > 0 { usleep(1000) }
  }

  // MARK: One step

  private func act(_ random: inout SplitMix64) {
    let (again, recent, isBusy) = with { memory in
      (memory.unsure.popLast(), memory.recent.last, memory.waiting > 40)
    }
    if let again {
      repeated(again)
    } else if random.oneIn(8), let recent {
      cancel(recent.clientId ?? "")
    } else if random.oneIn(6), let recent {
      look(recent.clientId ?? "")
    } else if random.oneIn(12), let recent {
      repeated(recent)  // Although it was accepted.
    } else if isBusy || random.oneIn(10) {
      if let waiting = try? connection.status().updates["waiting"] { with { $0.waiting = waiting } }
    } else {
      submit(request(&random))
    }
  }

  private func request(_ random: inout SplitMix64) -> SubmitRequest {
    let weighted: [Wanted.Kind] = [.once, .once, .once, .once, .keyed, .keyed, .retry, .later, .fail, .atMostOnce]
    let kind = weighted[random.below(weighted.count)]
    let id = with { memory in
      memory.count += 1
      return "\(kind.rawValue)-\(memory.count)"
    }
    var parameters = ["sleep": "\(random.oneIn(5) ? random.below(30) : 0)"]
    switch kind {
    case .once, .keyed, .atMostOnce: break
    case .retry: parameters["fails"] = "\(random.below(Judge.attempts))"
    case .later: parameters["later"] = "1"
    case .fail: parameters["fails"] = "1000"
    }
    with { $0.wanted[id] = Wanted(id: id, kind: kind) }
    return SubmitRequest(
      handler: kind.rawValue, parameters: parameters, payload: id + " " + String(repeating: "x", count: padding),
      clientId: id, key: kind == .keyed ? "key-\(random.below(4))" : nil,
      priority: random.oneIn(10) ? random.below(3) - 1 : nil)
  }

  private func repeated(_ request: SubmitRequest) {
    with { $0.wanted[request.clientId ?? ""]?.isRepeated = true }
    submit(request)
  }

  private func submit(_ request: SubmitRequest) {
    let id = request.clientId ?? ""
    do {
      let reply = try connection.submit(request)
      with { memory in
        memory.wanted[id]?.isAccepted = true
        memory.recent.append(request)
        if memory.recent.count > 20 { memory.recent.removeFirst() }
      }
      note(id, reply)
    } catch ClientError.refused(_, let problem) {
      with { memory in
        memory.refusals[problem.code, default: 0] += 1
        // A repeated request is never refused for its content.
        if !["queueFull", "storeFull"].contains(problem.code) { memory.strange.append("\(id): \(problem.message)") }
      }
    } catch {
      with { $0.unsure.append(request) }
      usleep(2000)
    }
  }

  private func look(_ id: String) {
    do {
      note(id, try connection.update(id))
    } catch ClientError.refused(status: 404, let problem) {
      with { $0.missing.append("\(id): \(problem.message)") }
    } catch {
      usleep(2000)
    }
  }

  private func cancel(_ id: String) {
    with { $0.wanted[id]?.cancelTried = true }
    do {
      note(id, try connection.cancel(id))
    } catch ClientError.refused(status: 404, let problem) {
      with { $0.missing.append("\(id): \(problem.message)") }
    } catch {
      usleep(2000)
    }
  }

  /// Remembers that an update has ended: it must not be started any more.
  private func note(_ id: String, _ reply: UpdateReply) {
    guard reply.result != nil, with({ $0.wanted[id]?.endedAt }) == nil, let lines = logLength() else { return }
    with { $0.wanted[id]?.endedAt = lines }
  }

  private func logLength() -> Int? {
    guard let text = FileManager.default.contents(atPath: log) else { return 0 }
    return text.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
  }

  // MARK: The end

  /// Submits until each has an answer.
  func settle() {
    while true {
      let next = with { $0.unsure.popLast() }
      guard let request = next else { return }
      repeated(request)
    }
  }

  func outcomes() throws -> [String: Outcome] {
    let ids = with { Array($0.wanted.keys) }
    let replies = try ids.compactMap { id in try reply(id).map { (id, $0) } }
    // The service names a successor by its own id.
    let names = Dictionary(uniqueKeysWithValues: replies.map { ($1.id, $0) })
    return Dictionary(uniqueKeysWithValues: replies.map { ($0, Outcome($1, names)) })
  }

  private func reply(_ id: String) throws -> UpdateReply? {
    do {
      return try connection.update(id)
    } catch ClientError.refused(status: 404, _) {
      return nil
    }
  }

  /// Waits until the service answers. An attempt that nobody listens to does not reach it.
  func waitForService(until limit: ContinuousClock.Instant = .now + .seconds(120)) {
    while (try? connection.status()) == nil, ContinuousClock.now < limit { usleep(1000) }
  }

  /// Waits until all updates that were accepted have ended: one request for each (`GET /v1/updates/ID/wait`).
  func waitForEnds(until limit: ContinuousClock.Instant) {
    for id in with({ $0.wanted.values.filter(\.isAccepted).map(\.id) }) {
      let left = max(1, (limit - .now).components.seconds)
      let patient = TouchgateConnection(path: connection.path, timeout: .seconds(left + 5))
      _ = try? patient.wait(for: id, timeout: "\(left)s")
    }
  }
}

extension Outcome {
  fileprivate init(_ reply: UpdateReply, _ names: [String: String]) {
    let message = reply.result?.message ?? ""
    self.init(
      state: reply.state, successor: reply.result?.successor.flatMap { names[$0] },
      isGivenUp: message.contains(/^the service or the machine stopped unexpectedly [0-9]+ times/),
      isInterrupted: message.hasPrefix("the service or the machine stopped unexpectedly while the handler ran;"))
  }
}
