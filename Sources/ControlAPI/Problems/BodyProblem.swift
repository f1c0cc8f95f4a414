public import Scheduling
import Timeline
import TouchgateAPI

/// What can be wrong with the values in a body: submissions, holds, turns, pauses, refusals of deliveries.
public enum BodyProblem: ProblemText {
  // Submissions
  case badID(field: String)
  case twoIDs
  case badKey
  case badPriority
  case unknownOnDeadline
  case onDeadlineAlone
  case notBeforeAfterDeadline
  case deadlinePassed
  case badTime(field: String)
  case timeTooFar(field: String)
  /// Of what the handler's file says.
  case loosens(HandlerTerms.Term, value: String, file: String, field: String)
  case badBase64
  case bothPayloads
  case payloadTooLarge(bytes: Int, field: String)
  case parametersTooLarge(bytes: Int)
  // Everything else
  case emptyReason(most: Int)
  case longReason(most: Int)
  case unknownGuard(known: [String])
  case badTTL(most: Duration)
  case badMax(most: Duration)
  case badResumes
  case unknownKind(String, known: [String])

  public var refusal: CallRefusal {
    switch self {
    case .badID(let field):
      CallRefusal(
        400, "badID", "an id has 1 to 64 characters of A-Z a-z 0-9 . _ - and begins with a letter or a digit",
        field: field)
    case .twoIDs:
      CallRefusal(
        400, "conflictingFields", "only one of 'clientId' and 'id', its older name, is allowed", field: "id")
    case .badKey: CallRefusal(400, "badKey", "a key has 1 to \(Submission.longestKey) bytes", field: "key")
    case .badPriority:
      CallRefusal(
        400, "badPriority",
        "'priority' must be from \(Submission.priorities.lowerBound) to \(Submission.priorities.upperBound)",
        field: "priority")
    case .unknownOnDeadline:
      CallRefusal(
        400, "badOnDeadline", "'onDeadline' must be \(OnDeadline.allCases.map(\.rawValue).listed("or"))",
        field: "onDeadline")
    case .onDeadlineAlone:
      CallRefusal(400, "missingField", "'onDeadline' requires a deadline", field: "deadline")
    case .notBeforeAfterDeadline:
      CallRefusal(400, "badTime", "'notBefore' must be earlier than 'deadline'", field: "notBefore")
    case .deadlinePassed: CallRefusal(400, "badTime", "the deadline has already passed", field: "deadline")
    case .badTime(let field):
      CallRefusal(
        400, "badTime",
        "'\(field)' must be a time such as 04:00 or 2026-11-30T02:14:07+01:00 (RFC 3339), or a time span from now such as "
          + "30min",
        field: field)
    case .timeTooFar(let field):
      CallRefusal(400, "badTime", "'\(field)' must be at most ten years from now", field: field)
    case .loosens(let term, let value, let file, let field):
      CallRefusal(
        403, "loosens",
        "permission denied: \(file) says \(term.rawValue)=\(value), which '\(field)' may not loosen; leave it out, or add "
          + "Override=\(term.rawValue) there", field: field)
    case .badBase64:
      CallRefusal(
        400, "badBase64", "'payloadBase64' must be base64 with padding (RFC 4648)", field: "payloadBase64")
    case .bothPayloads:
      CallRefusal(
        400, "conflictingFields", "only one of 'payload' and 'payloadBase64' is allowed", field: "payloadBase64")
    case .payloadTooLarge(let bytes, let field):
      CallRefusal(
        413, "payloadTooLarge", "the payload has \(bytes) bytes; the maximum is \(Limits.payload)", field: field)
    case .parametersTooLarge(let bytes):
      CallRefusal(
        400, "parametersTooLarge",
        "the parameters have \(bytes) bytes; the maximum is \(Limits.parameters); put large data into the payload",
        field: "parameters")
    case .emptyReason(let most):
      CallRefusal(400, "badReason", "a reason has 1 to \(most) bytes", field: "reason")
    case .longReason(let most): CallRefusal(400, "badReason", "a reason has at most \(most) bytes", field: "reason")
    case .unknownGuard(let known):
      CallRefusal(400, "badGuard", "'guard' must be \(known.listed("or"))", field: "guard")
    case .badTTL(let most):
      CallRefusal(
        400, "badTime",
        "'ttl' must be a time span such as 10min, more than 0 and at most \(TimeSpan.describe(most)) (MaxHold=)",
        field: "ttl")
    case .badMax(let most):
      CallRefusal(
        400, "badMax", "'max' must be more than 0 and at most \(TimeSpan.describe(most)) (MaxTurn=)", field: "max")
    case .badResumes:
      CallRefusal(
        400, "badID", "'resumes' must be the id of a hold or a turn, and is not allowed with 'ttl'", field: "resumes")
    case .unknownKind(let name, let kinds):
      CallRefusal(
        400, "unknownKind", "unknown kind '\(name.shortened)'\(known("kinds", kinds, none: "there are none"))",
        field: "kind")
    }
  }
}
