/// Why a write of the queue failed.
public enum StoreFailure: Equatable, Sendable, CustomStringConvertible {
  /// The disk is full, or over quota. The words are for people.
  case full(String)
  /// Anything else: an error of the device, a lock of another process, a file that is gone.
  case failed(String)

  public var description: String {
    switch self {
    case .full(let words), .failed(let words): words
    }
  }

  /// What it is called as a blocker.
  var code: Blocker.Code {
    switch self {
    case .full: .storeFull
    case .failed: .storeFailed
    }
  }
}
