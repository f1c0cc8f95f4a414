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
    let draft = spare + ".new"
    do throws(Errno) {
      let file = try FileDescriptor(opening: draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
      try file.write([UInt8](repeating: UInt8(ascii: "\n"), count: UnitMarker.bytes))
      if rename(draft, spare) != 0 { throw Errno() }
    } catch {
      unlink(draft)
    }
  }

  /// Removes what former runs left of handlers of other updates than these. Returns how many files.
  public func sweep(keeping ids: Set<UpdateID>) -> Int {
    guard let stream = opendir(folder) else { return 0 }
    defer { closedir(stream) }
    let kept = Set(ids.flatMap { [lock($0), marker($0)] })
    var left: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let path = "\(folder)/\(name)"
      if name.hasPrefix("handler-"), name.hasSuffix(".lock") || name.hasSuffix(".unit"), !kept.contains(path) {
        left.append(path)
      }
    }
    return left.count { unlink($0) == 0 }
  }
}
