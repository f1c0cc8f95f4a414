public import Scheduling

/// What applies updates.
public enum HandlerKind: Equatable, Sendable {
  /// `Exec=`: the words of a command, never empty; the first is an absolute path. `Configuration.missingPrograms` checks
  /// whether it exists.
  case program([String])
  /// `Unit=`: a service of systemd. The template `name@.service` gets the update's id as instance.
  case unit(String)
  /// `Deliver=yes`: a connected application.
  case delivery

  /// The unit that applies this update; nil for other kinds.
  public func unit(for id: UpdateID) -> String? {
    switch self {
    case .unit(let name): name.hasSuffix("@.service") ? "\(name.dropLast(".service".count))\(id).service" : name
    case .program, .delivery: nil
    }
  }
}

/// `Guard=`: how touches are kept from the update between the decision and the handler's start.
public enum GuardKind: String, Equatable, Sendable, CaseIterable {
  /// The devices are grabbed (EVIOCGRAB) before the last look, so that no touch reaches any other program until the
  /// handler has ended.
  case grab
  /// The kernel's slot tables are read once more.
  case verify
  /// No last look: the handler starts on the gate states that are known.
  case none
}
