import ControlAPI
import HTTPTypes
import Timeline

/// The service's events, numbered, and those who read them: `GET /v1/events`. A value.
///
/// Screens and touch are reported when they differ from what was reported last, so it does not matter how often they are
/// noted.
struct EventFeed {
  /// Room that is kept free in a reader's buffer: events wait in the log, where a slow reader is overtaken.
  static let unsentLimit = 16 * 1024

  private var log: EventLog
  private var lastTouch: Event.Happening?
  private var lastScreens: [String: Event.Happening] = [:]
  /// Streams, and the number of the next event of each.
  private var readers: [RequestToken: Int64] = [:]

  /// `run`: see `EventLog`.
  init(run: Int64 = 0) { log = EventLog(run: run) }

  // MARK: Events

  mutating func note(_ happening: Event.Happening, at wall: WallTime) { log.add(happening, at: wall) }

  /// `screens`: the state and the contacts of each screen there is. A screen that is not named any more is reported as
  /// gone.
  mutating func noteScreens(
    touched: Bool, contacts: Int, screens: [String: (state: String, contacts: Int)], at wall: WallTime
  ) {
    let touch = Event.Happening.touch(touched: touched, contacts: contacts)
    if touch != lastTouch {
      lastTouch = touch
      log.add(touch, at: wall)
    }
    for (name, screen) in screens.sorted(by: { $0.key < $1.key }) {
      let happening = Event.Happening.screen(name, state: screen.state, contacts: screen.contacts)
      if lastScreens.updateValue(happening, forKey: name) != happening { log.add(happening, at: wall) }
    }
    for name in lastScreens.keys.sorted() where screens[name] == nil {
      lastScreens[name] = nil
      log.add(.screen(name, state: "gone", contacts: 0), at: wall)
    }
  }

  // MARK: Readers

  /// `since`: the number of the last event that the reader has; nil: only what happens from now on.
  mutating func addReader(_ token: RequestToken, since: Int64?) { readers[token] = since.map { $0 + 1 } ?? log.next }

  mutating func removeReader(_ token: RequestToken) { readers[token] = nil }

  /// Hands each reader what is new, as far as it has room. `unsent`: bytes that wait for a reader, nil if it is gone.
  mutating func pump(
    unsent: (RequestToken) -> Int?, gap: (RequestToken, _ missed: Int64, _ next: Int64) -> Void,
    event: (RequestToken, Event) -> Void
  ) {
    for (token, position) in readers where position != log.next {
      var next = position
      while let size = unsent(token), size < Self.unsentLimit, let news = log.read(from: next) {
        switch news {
        case .gap(let missed, let resumed):
          gap(token, missed, resumed)
          next = resumed
        case .event(let its):
          event(token, its)
          next = its.sequence + 1
        }
      }
      readers[token] = next
    }
  }
}
