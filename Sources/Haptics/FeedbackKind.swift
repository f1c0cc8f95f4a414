/// The meaning of a pulse, as on telephones: three results, three impacts, and a tick.
public enum FeedbackKind: String, CaseIterable, Hashable, Sendable {
  case success, warning, error
  case light, medium, heavy
  case selection

  /// The seven names, for messages.
  public static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
