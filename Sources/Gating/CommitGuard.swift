public import Timeline

/// The grab of one device around the start of a handler: when to release it.
///
/// If it is released at a moment without a contact and without a key, applications see no partial touch. An end without a
/// beginning is harmless to them, a beginning without an end is not (tried with libinput on a real kernel).
public struct CommitGuard: Equatable, Sendable {
  private enum State: Equatable, Sendable {
    case open
    /// The handler runs.
    case holding(until: Instant)
    /// Only the fingers are waited for.
    case releasing(until: Instant)
  }

  /// How a device is released.
  public enum Release: Equatable, Sendable {
    case clean
    /// Something was still down after `patience`.
    case over
  }

  /// How long a finger is waited for after the handler has ended or was not started.
  public static let patience: Duration = .seconds(2)

  /// `GuardMax=`: the longest wait for the handler's end.
  public let longest: Duration
  private var state = State.open

  public init(longest: Duration) { self.longest = longest }

  /// Whether the device is grabbed.
  public var isHeld: Bool { state != .open }

  /// When to check again whether the device is to be released; nil: no time is set.
  public var nextDeadline: Instant? {
    switch state {
    case .open: nil
    case .holding(let until), .releasing(let until): until
    }
  }

  /// The device is grabbed, or remains grabbed for the next start.
  public mutating func taken(at now: Instant) { state = .holding(until: now + longest) }

  /// The start was called off because of a touch that began within the grab, which is withheld from others until it ends.
  public mutating func calledOff(at now: Instant) { state = .releasing(until: now + Self.patience) }

  /// The handler has ended: the device is released as soon as nothing is down on it.
  public mutating func handlerEnded(at now: Instant) {
    if case .holding = state { state = .releasing(until: now + Self.patience) }
  }

  /// Call after everything that may have changed it. `isDown`: a contact or a key is down on the device.
  ///
  /// - Returns: non-nil if the device must be released now.
  public mutating func update(isDown: Bool, at now: Instant) -> Release? {
    if case .holding(let until) = state, until <= now { state = .releasing(until: until + Self.patience) }
    guard case .releasing(let until) = state else { return nil }
    if isDown && now < until { return nil }
    state = .open
    return isDown ? .over : .clean
  }
}
