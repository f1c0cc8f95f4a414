/// The actions of a scheduler that are still to be executed, and the order in which that happens.
///
/// `ActionEffects.drain(at:)` executes them: each action calls one effect, and what comes of the effect is fed back to
/// the scheduler, whose new actions are appended. Two rules go beyond first in, first out:
///
/// * Consecutive writes at the head form one transaction, so requests of one wake-up share its fsync. If a group of
///   several cannot be written, each of them is written on its own: one bad write must not take the others with it.
/// * What the last look decides goes to the front. A write between the last look and the handler's start would take
///   longer than a finger needs to land.
public struct ActionQueue: Sendable {
  private var actions: [Scheduler.Action] = []
  /// How many writes at the head are written on their own, because their group failed.
  private var soloWrites = 0
  /// An action is being executed; its effects may append, but the next action waits until it is done.
  private var isBusy = false
  /// The update whose handler has been prepared and neither started nor discarded.
  var prepared: UpdateID?

  public init() {}

  /// Whether no action is left to execute.
  public var isEmpty: Bool { actions.isEmpty }
  /// Number of actions that are left to execute.
  public var count: Int { actions.count }

  /// Adds what the scheduler returned, behind everything that is queued.
  public mutating func append(_ new: [Scheduler.Action]) { actions += new }

  /// What is executed next.
  enum Step {
    /// One transaction; not empty.
    case write([StoreWrite])
    case action(Scheduler.Action)
  }

  /// Removes the next step from the queue and marks the queue busy until `finishStep`.
  ///
  /// - Returns: nil if there is none, or if a step is being executed already.
  mutating func beginStep() -> Step? {
    guard !isBusy, let first = actions.first else { return nil }
    isBusy = true
    let writes = writesAtHead()
    if writes.isEmpty {
      actions.removeFirst()
      return .action(first)
    }
    actions.removeFirst(writes.count)
    soloWrites = max(0, soloWrites - 1)
    return .write(writes)
  }

  mutating func finishStep() { isBusy = false }

  /// A group that could not be written comes back, to be written one by one.
  mutating func splitGroup(_ writes: [StoreWrite]) {
    actions.insert(contentsOf: writes.map { .store($0) }, at: 0)
    soloWrites = writes.count
  }

  /// Adds actions before everything that is queued.
  mutating func prepend(_ new: [Scheduler.Action]) { actions.insert(contentsOf: new, at: 0) }

  private func writesAtHead() -> [StoreWrite] {
    var writes: [StoreWrite] = []
    for case .store(let write) in actions.prefix(while: \.isStore) {
      writes.append(write)
      if soloWrites > 0 { break }
    }
    return writes
  }
}

extension Scheduler.Action {
  fileprivate var isStore: Bool { if case .store = self { true } else { false } }
}
