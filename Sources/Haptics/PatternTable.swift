/// The pattern of each kind.
public struct PatternTable: Equatable, Sendable {
  /// The built-in tables, by type of actuator.
  public enum Profile: String, CaseIterable, Sendable {
    /// A motor with an eccentric mass: needs 20 ms before anything is felt.
    case motor
    /// A linear or piezo actuator, which starts and stops at once.
    case crisp
  }

  private var patterns: [FeedbackKind: Pattern]

  /// The built-in patterns. Kinds also differ by length and count, because some motors have only on and off.
  public init(_ profile: Profile = .motor) {
    let all = FeedbackKind.allCases
    patterns = Dictionary(
      uniqueKeysWithValues: all.map { ($0, profile == .motor ? Self.motor($0) : Self.crisp($0)) })
  }

  public subscript(kind: FeedbackKind) -> Pattern {
    get { patterns[kind] ?? Self.motor(kind) }
    set { patterns[kind] = newValue }
  }

  private static func motor(_ kind: FeedbackKind) -> Pattern {
    switch kind {
    case .selection: .built((20, 0.40))
    case .light: .built((30, 0.50))
    case .medium: .built((40, 0.75))
    case .heavy: .built((60, 1.00))
    case .success: .built((30, 0.5), (40, 1.0), gap: 60)
    case .warning: .built((40, 0.8), (40, 0.6), gap: 100)
    case .error: .built((40, 0.9), (40, 0.9), (40, 0.9), gap: 80)
    }
  }

  private static func crisp(_ kind: FeedbackKind) -> Pattern {
    switch kind {
    case .selection: .built((10, 0.30))
    case .light: .built((12, 0.45))
    case .medium: .built((20, 0.70))
    case .heavy: .built((30, 1.00))
    case .success: .built((12, 0.5), (20, 1.0), gap: 80)
    case .warning: .built((20, 0.8), (16, 0.6), gap: 110)
    case .error: .built((20, 0.9), (20, 0.9), (20, 0.9), gap: 90)
    }
  }
}
