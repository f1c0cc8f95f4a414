/// `POST /v1/feedback`.
public struct FeedbackRequest: Codable, Equatable, Sendable {
  /// `success`, `warning`, `error`, `light`, `medium`, `heavy` or `selection`.
  public var kind: String

  public init(kind: String) { self.kind = kind }

  public static let fields: Set<String> = ["kind"]
}

/// The answer, sent at the moment of the pulse. Times are milliseconds with fractions.
public struct FeedbackReply: Codable, Equatable, Sendable {
  public var kind: String
  /// Why nothing was felt; nil: the kind was played.
  public var silentBecause: String?
  /// Time to open the device and upload the effect; nil if both were done before.
  public var prepareMs: Double?
  /// Time of the write that played the effect.
  public var fireMs: Double?
  /// Time from the pulse to this answer.
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

/// The haptics of this machine, in the status.
public struct HapticsReply: Codable, Equatable, Sendable {
  /// The name of the device that vibrates; nil if there is none.
  public var device: String?
  /// Why nothing can be felt; nil: no problem is known.
  public var silentBecause: String?

  public init(device: String?, silentBecause: String?) {
    self.device = device
    self.silentBecause = silentBecause
  }
}
