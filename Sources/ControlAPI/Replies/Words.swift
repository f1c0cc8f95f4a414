public import Gating

/// The texts for gate states and for what is wrong with screens.
public enum Words {
  /// `clear`, `touched` or `unknown`.
  public static func state(_ state: Gate.State) -> String {
    switch state {
    case .unknown: "unknown"
    case .touched, .stuck: "touched"
    case .clear: "clear"
    }
  }

  public static let starting = "the service is starting"
  public static let noScreen = "no touchscreen was found (OnNoScreen=hold)"
  public static let goesToSleep = "the machine is going to sleep"
  public static let missing = "the screen is missing"
  public static func unreported(node: String) -> String {
    "\(node) looks like a touchscreen, and udev has not reported it yet"
  }

  public static let noScreenYet = "no touchscreen was found yet"

  public static func missing(_ screen: String) -> String { "screen '\(screen)' is missing" }

  public static func stuck(_ contacts: Int) -> String {
    contacts == 1 ? "1 contact is stuck" : "\(contacts) contacts are stuck"
  }

  public static func unknown(_ why: Gate.Unknown) -> String {
    switch why {
    case .starting(let device): "\(device) is being read for the first time"
    case .unreadable(_, let why): why
    case .eventsLost(let device): "\(device) dropped events; its state is being read"
    }
  }
}
