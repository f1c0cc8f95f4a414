public import Scheduling
public import Timeline

/// What clears a blocker, as people read it after "clears".
extension Blocker.Clears {
  /// - Parameters:
  ///   - now: times of the monotonic clock are worded as spans from now on.
  ///   - zone: times of day are local there.
  public func wording(at now: Instant, in zone: some LocalZone) -> String {
    func after(_ time: Instant) -> String { "in \(TimeSpan.describe(time - now))" }
    return switch self {
    case .contactsEnd: "when the last contact ends"
    case .stuckContactChanges: "when the contact changes or ends; OnStuck=ignore would ignore it"
    case .graceTimeEnds: "when the grace time is over"
    case .screenIsRead: "when the state of the screen has been read"
    case .frameEnds: "within 20 ms"
    case .devicesAreOpened: "when all devices are open"
    case .screenIsFound(let time?): "when a touchscreen is found, or \(after(time)) without one"
    case .screenIsFound(nil): "when a touchscreen is found; OnNoScreen=apply would apply updates without one"
    case .screenIsBack(let time?): "when the screen is connected, or \(after(time))"
    case .screenIsBack(nil): "when the screen is connected"
    case .screenIsBackOrForgotten(let name, let time):
      "when the screen is connected, \(time.map { "\(after($0)), or" } ?? "or") after "
        + "`touchgate screens --forget '\(name)'`"
    case .ownScreenIsBack: "when the screen is connected; only updates for this screen wait"
    case .machineIsAwake: "when the machine has resumed"
    case .nextRecheck: "at the next recheck"
    case .resumed: "after `touchgate resume`"
    case .holdIsReleased(let time?): "\(after(time)), or when the hold is released"
    case .holdIsReleased(nil): "when its owner releases it or exits"
    case .expedited(let id): "after `touchgate apply \(id)`"
    case .at(let time): "at \(time.rfc3339(in: zone))"
    case .passed(let time): after(time)
    case .clockIsSet:
      "when the clock is known to be right: synchronized (timedatectl), or as ClockWait= and Trust= in touchgate.conf say"
    case .quietPeriodEnds(let time): "\(after(time)), if nobody touches before then"
    case .backoffEnds(let time, setbacks: 1): "\(after(time)), after 1 unsuccessful start"
    case .backoffEnds(let time, let setbacks): "\(after(time)), after \(setbacks) unsuccessful starts"
    case .receiverConnects: "when an application connects (GET /v1/deliveries)"
    case .ends(let id): "when \(id) has ended"
    case .turnEnds(let id, let time?):
      "when the turn \(id) ends, \(after(time)) at the latest; its owner or an administrator ends it with "
        + "`touchgate release \(id)`"
    case .turnEnds(let id, nil):
      "when the turn \(id) ends; its owner or an administrator ends it with `touchgate release \(id)`"
    case .turnComes: "when the updates before it have ended"
    case .turnHasEnded(let id):
      "when the turn \(id), which waits before it, has ended; its owner or an administrator ends it with "
        + "`touchgate release \(id)`"
    case .storeIsWritable: "when the queue can be written"
    case .serviceIsStarted: "when the service has been started again"
    }
  }
}

/// More about a blocker, as people read it.
extension Blocker.Reason {
  public var wording: String {
    switch self {
    case .words(let words): words
    case .touchedAtStart: "a contact changed during the last look"
    case .noSuchScreen(let name): "there is no screen '\(name)'"
    case .noReceiver(let handler):
      "handler '\(handler)' delivers its updates to an application, and none is connected"
    case .rebooted(let times, let span, let handler):
      "the machine has rebooted \(times) times in \(TimeSpan.describe(span)) for handler '\(handler)'"
    }
  }
}
