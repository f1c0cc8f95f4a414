public import Timeline

/// Why an update is not applied yet: a code, since when, where, who, and what clears it.
public struct Blocker: Equatable, Sendable {
  /// The kinds of blockers. The raw values are the codes on the socket and in the store.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// Whether somebody touches is unknown.
    case unknown
    case touched
    /// A contact has not changed for longer than any finger would, and the administrator lets it block all the same.
    case stuck
    /// No contact, but the quiet period is not over.
    case settling
    /// Somebody holds the screen.
    case hold
    /// The operator has paused the service.
    case paused
    /// Its `notBefore` has not come.
    case notBefore
    /// Its `notBefore` is a time of day, and what time it is is not known yet.
    case clockUnset
    /// Its handler has failed, or asked to be tried later, and the wait after that is not over.
    case backoff
    /// It would reboot the machine, which has rebooted too often for the same handler and key.
    case rebootLoop
    /// No application is connected that applies such updates.
    case noReceiver
    /// Behind another update.
    case order
    /// Another update is being applied.
    case applying
    /// Somebody has a turn.
    case turn
    /// The queue cannot be written: the disk is full.
    case storeFull
    /// The queue cannot be written for another reason.
    case storeFailed
    /// The service is being stopped.
    case stopping
  }

  /// The kind of blocker.
  public let code: Code
  /// Since when it has blocked.
  public let since: Instant
  /// The screen that blocks; nil: none in particular.
  public var screen: String?
  /// Name of the device that blocks; nil: none in particular.
  public var device: String?
  /// Number of contacts on the screen; nil if contacts do not matter.
  public var contacts: Int?
  /// Who blocks: the id of an update, or who holds.
  public var owner: String?
  /// The cause; nil if the code is sufficient.
  public var reason: Reason?
  /// What ends it.
  public let clears: Clears

  public init(
    code: Code, since: Instant, screen: String? = nil, device: String? = nil, contacts: Int? = nil,
    owner: String? = nil, reason: Reason? = nil, clears: Clears
  ) {
    self.code = code
    self.since = since
    self.screen = screen
    self.device = device
    self.contacts = contacts
    self.owner = owner
    self.reason = reason
    self.clears = clears
  }
}

extension Blocker {
  /// What ends a blocker; worded where people read it.
  public enum Clears: Equatable, Sendable {
    // Screens.
    case contactsEnd
    /// A contact that is stuck changes or ends.
    case stuckContactChanges
    /// The grace time of a screen that went away while touched.
    case graceTimeEnds
    /// The slot table of the screen could be read.
    case screenIsRead
    /// The rest of a frame that the kernel has cut comes, or does not: within 20 ms.
    case frameEnds
    case devicesAreOpened
    /// Any screen is found. `orAt`: updates no longer wait for one from then on; nil: they do.
    case screenIsFound(orAt: Instant?)
    /// The missing screen is back. `orAt`: it is no longer waited for from then on; nil: it is.
    case screenIsBack(orAt: Instant?)
    /// As `screenIsBack`, for a screen that only the machine's memory names: `touchgate screens --forget` ends it, too.
    case screenIsBackOrForgotten(String, orAt: Instant?)
    /// As `screenIsBack`, for a screen whose own updates are the only ones that wait.
    case ownScreenIsBack
    case machineIsAwake
    case nextRecheck
    // People.
    case resumed
    /// `orAt`: the hold ends by itself; nil: with its owner's connection.
    case holdIsReleased(orAt: Instant?)
    /// An operator applies it in spite of the reboots.
    case expedited(UpdateID)
    // Times.
    case at(WallTime)
    /// A span is over.
    case passed(Instant)
    /// The time of day is known to be right.
    case clockIsSet
    /// The quiet period, if nobody touches before then.
    case quietPeriodEnds(Instant)
    /// `setbacks`: failures, and requests to be tried later, in a row.
    case backoffEnds(Instant, setbacks: Int)
    // The service.
    /// An application that applies such updates connects.
    case receiverConnects
    /// Another update, which is being applied, ends.
    case ends(WorkID)
    /// A turn ends. `orAt`: at the latest; nil: with its owner's connection.
    case turnEnds(TurnID, orAt: Instant?)
    /// The updates before it have been applied.
    case turnComes
    /// A turn that waits before it.
    case turnHasEnded(TurnID)
    case storeIsWritable
    case serviceIsStarted
  }

  /// More about why it blocks; worded where people read it.
  public enum Reason: Equatable, Sendable {
    /// The words of somebody else: an operator, a holder, a handler, a disk, a screen.
    case words(String)
    /// A contact changed between the last look and the start.
    case touchedAtStart
    case noSuchScreen(String)
    /// A handler delivers its updates to an application, and none is connected.
    case noReceiver(handler: String)
    /// The machine has rebooted so often within that time for this handler.
    case rebooted(times: Int, within: Duration, handler: String)
  }
}

/// Whose gate it is: the machine's is no screen, whatever a screen's name may be.
public enum GateScope: Hashable, Comparable, Sendable {
  case machine
  case screen(String)
}

/// The state of one screen's gate, or of the machine as a whole, as the scheduler sees it. It does not know about
/// touch.
public enum GateState: Equatable, Sendable {
  /// Nothing blocks since then; the scheduler compares that with the quiet period.
  case clear(since: Instant)
  case blocked(Blocker)
  /// Missing: blocked for its own updates, and ignored by those for all screens.
  case absent(Blocker)
}
