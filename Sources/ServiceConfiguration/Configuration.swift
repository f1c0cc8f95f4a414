public import DeviceRules
public import Gating
import Glibc
import Linux
public import Scheduling
public import TouchModel

/// What the administrator decides: `touchgate.conf`, its drop-ins, and the handlers.
public struct Configuration: Equatable, Sendable {
  /// `[Gate] QuietPeriod=`: how long no screen may have been touched before an update is applied; zero: an update is
  /// applied the instant the last contact ends.
  public var quietPeriod: Duration = .seconds(1)
  /// `[Gate] FirstScreenTimeout=`: how long to wait at start for a first touchscreen.
  public var firstScreenTimeout: Duration = .seconds(10)
  /// `[Gate] OnNoScreen=`: whether updates are applied without a screen.
  public var onNoScreen = Screens.OnNoScreen.apply
  /// `[Gate] MissingScreenGrace=`: how long a known screen may be missing until `onNoScreen` decides.
  public var missingScreenGrace: Duration = .seconds(60)
  /// `[Gate] RequireScreens=`: screens without which nothing is applied.
  public var requiredScreens: Set<String> = []
  /// `[Gate] StuckAfter=`: a contact that has not changed for this time is stuck; at least 10 s.
  public var stuckAfter: Duration = .seconds(600)
  /// `[Gate] OnStuck=`: whether a stuck contact is ignored until it changes, or still blocks.
  public var onStuck: ContactTracker.StuckPolicy = .ignore
  /// `[Gate] GuardMax=`: the longest time that a device is grabbed.
  public var guardMax: Duration = .seconds(2)
  /// `[Gate] MaxTurn=`: the longest turn; at least 1 s. `Duration.forever` (infinity): no limit.
  public var maxTurn: Duration = .seconds(3600)
  /// `[Gate] MaxHold=`: the longest hold that outlives its caller; at least 1 s.
  public var maxHold: Duration = .seconds(3600)
  /// `[Queue] RetryInterval=`: time between rechecks while something waits; at least 100 ms.
  public var retryInterval: Duration = .seconds(1)
  /// `[Queue] MaxWaiting=`: updates that may wait; 1 to 1,000,000. Beyond it a submission is refused.
  public var maxWaiting = 10_000
  /// `[Queue] MaxWaitingPerUser=`: the same for the updates of one user.
  public var maxWaitingPerUser = 1_000
  /// `[Queue] MaxWaitingBytes=`: bytes of payload and parameters of all updates that wait.
  public var maxWaitingBytes = 64 << 20
  /// `[Queue] MaxWaitingBytesPerUser=`: the same for the updates of one user.
  public var maxWaitingBytesPerUser = 16 << 20
  /// `[Queue] KeepHistory=`, `KeepHistoryEntries=`, `KeepPayloads=`.
  public var history = HistoryLimits()
  public var clock = ClockSettings()
  /// `[Screen NAME]`.
  public var screens = ScreenRules()
  /// `[Devices] Use=`, `Ignore=`, in the order of reading: the last that matches a device decides whether it is a
  /// touchscreen.
  public var deviceRules: [DeviceRule] = []
  /// `[Rights]`.
  public var rights = Rights()
  /// `[Haptics]`.
  public var haptics = HapticsSettings()
  /// `handlers.d/*.conf`, by name.
  public var handlers: [String: HandlerDefinition] = [:]

  /// Where files are read; later folders win.
  public static let folders = ["/usr/lib/touchgate", "/run/touchgate", "/etc/touchgate"]

  /// The defaults, no handlers.
  public init() {}

  /// Reads each folder in turn: `touchgate.conf`, then `touchgate.conf.d/*.conf` by name; the value read last is used.
  /// Then `handlers.d/*.conf`, one handler per file; a file of the same name in a later folder replaces the earlier as a
  /// whole, and a link to /dev/null removes it. Missing folders and files are no error, and names that begin with a dot
  /// are ignored.
  ///
  /// - Throws: all problems of all files at once.
  public static func read(folders: [String] = folders) throws(ConfigurationError) -> Configuration {
    var reader = ConfigurationReader()
    for folder in folders { reader.readSettings(in: folder) }
    reader.readHandlers(in: folders)
    guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
    return reader.configuration
  }

  /// The rules of the gates.
  public var screenRules: Screens.Rules {
    Screens.Rules(
      firstScreenTimeout: firstScreenTimeout, missingGrace: missingScreenGrace, onNoScreen: onNoScreen,
      named: screens.names, required: requiredScreens)
  }

  /// The scheduler's policy for updates without a handler.
  public var servicePolicy: HandlerPolicy { HandlerPolicy(quietPeriod: quietPeriod) }

  /// The scheduler's policy for each handler, by name.
  public var handlerPolicies: [String: HandlerPolicy] {
    handlers.mapValues { $0.policy(serviceQuietPeriod: quietPeriod) }
  }

  /// Handlers with `Exec=` whose program is missing, is not a regular file, or cannot be executed by this process
  /// (stat(2), access(2)), in the order of their names. Reading does not check this, so that files can be read on
  /// another machine.
  public func missingPrograms() -> [ConfigurationProblem] {
    handlers.values.sorted { $0.name < $1.name }.compactMap { handler in
      guard case .program(let command) = handler.kind, let program = command.first else { return nil }
      guard let reason = Self.obstacle(toExecuting: program) else { return nil }
      return ConfigurationProblem(file: handler.file, line: nil, .cannotExecute, program, reason)
    }
  }

  private static func obstacle(toExecuting program: String) -> String? {
    var status = stat()
    if stat(program, &status) != 0 { return "\(Errno())" }
    if status.st_mode & S_IFMT != S_IFREG { return Sentence.notRegularFile.text([]) }
    return access(program, X_OK) == 0 ? nil : "\(Errno())"
  }
}
