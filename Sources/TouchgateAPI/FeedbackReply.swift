/// `POST /v1/feedback`.
public struct FeedbackRequest: Codable, Equatable, Sendable {
  /// `success`, `warning`, `error`, `light`, `medium`, `heavy` or `selection`.
  public var kind: String

  public init(kind: String) { self.kind = kind }

  public static let fields: Set<String> = ["kind"]
}

/// The answer, which comes at the moment of the pulse. Times are milliseconds with fractions.
public struct FeedbackReply: Codable, Equatable, Sendable {
  public var kind: String
  /// Why nothing could be felt; nil: it was played.
  public var silentBecause: String?
  /// Opening the device and uploading, where that was done since the last pulse.
  public var prepareMs: Double?
  /// The write that played it.
  public var fireMs: Double?
  /// From the pulse to this answer.
  public var skewMs: Double?

  public init(
    kind: String, silentBecause: String? = nil, prepareMs: Double? = nil, fireMs: Double? = nil, skewMs: Double? = nil
  ) {
    self.kind = kind
    self.silentBecause = silentBecause
    self.prepareMs = prepareMs
    self.fireMs = fireMs
    self.skewMs = skewMs
  }
}

/// Of the status: what can be felt on this machine.
public struct HapticsReply: Codable, Equatable, Sendable {
  /// The name of the device that vibrates; nil: none was chosen.
  public var device: String?
  /// Why nothing can be felt; nil: it works, as far as is known.
  public var silentBecause: String?

  public init(device: String?, silentBecause: String?) {
    self.device = device
    self.silentBecause = silentBecause
  }
}
