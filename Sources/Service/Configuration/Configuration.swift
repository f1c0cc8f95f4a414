public import DeviceRules
public import Gating
import Glibc
import Scheduling
public import TouchModel
public import UpdateStore

/// What the administrator decides: `touchgate.conf`, its drop-ins, and the handlers.
public struct Configuration: Equatable, Sendable {
  /// `[Gate] QuietPeriod=`: how long nobody may have touched before an update is applied; zero: the instant the last
  /// contact ends.
  public var quietPeriod: Duration = .zero
  /// `[Gate] FirstScreenTimeout=`: how long to wait for a first touchscreen before going on without one.
  public var firstScreenTimeout: Duration = .seconds(10)
  /// `[Gate] OnNoScreen=`: whether anything is applied without a screen.
  public var onNoScreen = Screens.OnNoScreen.apply
  /// `[Gate] MissingScreenGrace=`: how long a screen that was there before may be missing until `onNoScreen` counts.
  public var missingScreenGrace: Duration = .seconds(60)
  /// `[Gate] RequireScreens=`: without them nothing is applied.
  public var requiredScreens: Set<String> = []
  /// `[Screen NAME]`.
  public var screens = ScreenRules()
  /// `[Gate] StuckAfter=`: a contact that has not changed for so long is no finger.
  public var stuckAfter: Duration = .seconds(600)
  /// `[Gate] OnStuck=`: `ignore` leaves it out until it changes, `hold` goes on blocking.
  public var onStuck: ContactTracker.StuckPolicy = .ignore
  /// `[Devices] Ignore=`, `Use=`: which devices are touchscreens, whatever udev says, and which seats count; of several
  /// matching lines the last decides.
  public var deviceRules: [DeviceRule] = []
  /// `[Queue] RetryInterval=`: how often to look again while something waits; at least 100 ms.
  public var retryInterval: Duration = .seconds(1)
  /// `[Queue] MaxWaiting=`, `MaxWaitingPerUser=`: beyond them a submission is refused, never an update dropped.
  public var maxWaiting = 10_000
  public var maxWaitingPerUser = 1_000
  /// `[Queue] MaxWaitingBytes=`, `MaxWaitingBytesPerUser=`: the same for their payloads and parameters together.
  public var maxWaitingBytes = 64 << 20
  public var maxWaitingBytesPerUser = 16 << 20
  /// `[Queue] KeepHistory=`, `KeepHistoryEntries=`, `KeepPayloads=`: how long, and how much of, what has ended is kept.
  public var history = HistoryLimits()
  /// `[Gate] GuardMax=`: a grab does not wait longer for the handler's end.
  public var guardMax: Duration = .seconds(2)
  /// `[Gate] MaxHold=`: a hold that outlives its caller ends by then.
  public var maxHold: Duration = .seconds(3600)
  /// `[Rights]`.
  public var rights = Rights()
  /// `[Haptics]`.
  public var haptics = HapticsSettings()
  /// By name.
  public var handlers: [String: HandlerDefinition] = [:]

  /// Where it is looked for; later folders win.
  public static let folders = ["/usr/lib/touchgate", "/run/touchgate", "/etc/touchgate"]

  /// The defaults, no handlers.
  public init() {}

  /// Reads each folder in turn: `touchgate.conf`, then `touchgate.conf.d/*.conf` by name; the value read last is used.
  /// Then `handlers.d/*.conf`, one handler a file; a file of the same name in a later folder replaces the earlier as a
  /// whole, and a link to /dev/null removes it. Folders and files that are missing are fine, and names that begin
  /// with a dot are passed over. Throws all problems of all files at once.
  public static func read(folders: [String] = folders) throws(ConfigurationError) -> Configuration {
    var reader = ConfigurationReader()
    for folder in folders { reader.readSettings(in: folder) }
    reader.readHandlers(in: folders)
    guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
    return reader.configuration
  }

  /// What the gates are to go by.
  var screenRules: Screens.Rules {
    Screens.Rules(
      firstScreenTimeout: firstScreenTimeout, missingGrace: missingScreenGrace, onNoScreen: onNoScreen,
      named: screens.names, required: requiredScreens)
  }

  var servicePolicy: HandlerPolicy { HandlerPolicy(quietPeriod: quietPeriod) }

  var handlerPolicies: [String: HandlerPolicy] {
    handlers.mapValues { $0.policy(serviceQuietPeriod: quietPeriod) }
  }

  /// Nothing has changed in it that touchscreens and gates go by.
  func saysTheSameOfTouch(as other: Configuration) -> Bool {
    screenRules == other.screenRules && screens == other.screens && deviceRules == other.deviceRules
      && stuckAfter == other.stuckAfter && onStuck == other.onStuck && guardMax == other.guardMax
  }

  /// What reading alone cannot know: handlers whose program is missing, is no regular file, or may not be executed by
  /// this process (stat(2), access(2)), by name of the handler. Empty: all are there.
  public func missingPrograms() -> [ConfigurationProblem] {
    handlers.values.sorted { $0.name < $1.name }.compactMap { handler in
      guard case .program(let command) = handler.kind, let program = command.first else { return nil }
      var status = stat()
      let reason: String
      if stat(program, &status) != 0 {
        reason = String(cString: strerror(errno))
      } else if status.st_mode & S_IFMT != S_IFREG {
        reason = "it is not a regular file"
      } else if access(program, X_OK) != 0 {
        reason = "this user may not execute it (\(String(cString: strerror(errno))))"
      } else {
        return nil
      }
      return ConfigurationProblem(
        file: handler.file, line: nil,
        message: "the program \(program) of handler \(handler.name) cannot be started: \(reason)")
    }
  }
}
