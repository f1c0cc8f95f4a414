/// A device whose events can be withheld from all other processes (EVIOCGRAB).
public protocol GrabbableDevice: AnyObject {
  /// Grabs the device: from now on only this process receives its events.
  func grab() -> GrabResult

  /// Ends the grab. Must be followed by reading the device and then by `unheard`.
  func ungrab()

  /// What other processes missed of the events that were read since `ungrab`. Call once per grab.
  func unheard() -> Unheard

  /// Whether events arrived after `grab` was called but before it took effect: other processes received them too.
  var othersHeard: Bool { get }

  /// Whether any key or button is down, BTN_TOUCH included, as the kernel has it now. False if the device is gone.
  var isTouchOrKeyDown: Bool { get }

  /// The same without the buttons that only represent fingers.
  var isKeyDown: Bool { get }
}

/// The result of `GrabbableDevice.grab`.
public enum GrabResult: Equatable, Sendable {
  case taken
  /// Not grabbed: events are queued, so somebody touches.
  case touched
  /// Not grabbed: another process holds the device.
  case busy
  /// Not grabbed; the errno.
  case failed(Int32)
}

/// What other processes did not receive between the start of a grab and the end of it.
public enum Unheard: Equatable, Sendable {
  case nothing
  /// They received only the later part.
  case beginning
  /// They received none of it yet.
  case all
}
