import Glibc
import Linux
public import Scheduling

/// The files of handlers in the state directory: `handler-ID.lock` (`HandlerLock`) and `handler-ID.unit` (`UnitMarker`)
/// while a handler runs, and one spare file for a marker that finds the disk full.
public struct HandlerFiles: Sendable {
  private let folder: String

  public init(folder: String) { self.folder = folder }

  public func lock(_ id: UpdateID) -> String { "\(folder)/handler-\(id).lock" }

  public func marker(_ id: UpdateID) -> String { "\(folder)/handler-\(id).unit" }

  /// Has its block on the disk already, and becomes a marker by its name.
  public var spare: String { "\(folder)/handler.spare" }

  /// Makes the spare file if there is none; has no effect on a full disk.
  public func keepSpare() {
    if access(spare, F_OK) == 0 { return }
    try? replaceFile(spare, with: [UInt8](repeating: UInt8(ascii: "\n"), count: UnitMarker.bytes), mode: 0o600)
  }

  /// Removes what former runs left of handlers of other updates than these. Returns how many files.
  public func sweep(keeping ids: Set<UpdateID>) -> Int {
    let kept = Set(ids.flatMap { [lock($0), marker($0)] })
    let found = ((try? names(in: folder)) ?? []).filter {
      $0.hasPrefix("handler-") && ($0.hasSuffix(".lock") || $0.hasSuffix(".unit"))
    }
    return found.map { "\(folder)/\($0)" }.count { !kept.contains($0) && unlink($0) == 0 }
  }
}
