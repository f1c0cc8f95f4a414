import Glibc
import Linux
public import Scheduling

/// What can go wrong with the store, worded for the person who reads the log.
public enum StoreError: Error, Equatable, Sendable {
  /// The file could not be opened or created, or may not be written. `errno` is the system's reason, 0 where it gave
  /// none; `message` is SQLite's, empty where the system's says it all.
  case cannotOpen(path: String, errno: Int32, message: String)
  /// The file was written by a newer version of this program. It is left as it is.
  case newerSchema(path: String, found: Int, known: Int)
  /// No space left on the device, over quota, or over the page limit. Nothing of the batch was written.
  case diskFull(path: String)
  /// Another process held the write lock for longer than the busy timeout. Nothing was written.
  case busy(path: String)
  /// SQLite found the file damaged. The next `QueueStore.init` sets it aside.
  case damaged(path: String, message: String)
  /// `accept` of an id that is already there. Nothing of the batch was written.
  case duplicateID(UpdateID)
  /// A write for an id that is not there. Nothing of the batch was written.
  case unknownID(UpdateID)
  /// The write does not follow from the state the update is in. Nothing of the batch was written.
  case wrongState(UpdateID, state: String, allowed: [String])
  /// `reopen` of an update that has dropped its payload. Nothing of the batch was written.
  case payloadGone(UpdateID)
  /// Used after `close()`.
  case closed
  /// Anything else; `code` is SQLite's extended result code.
  case other(code: Int32, message: String)
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotOpen(let path, let errno, let message):
      let reason = errno == 0 ? message : "\(Errno(errno))"
      return "the store \(path) cannot be opened: \(reason); \(Self.advice(errno))"
    case .newerSchema(let path, let found, let known):
      return "the store \(path) has schema \(found), this version knows up to \(known): "
        + "install the newer version again, or move the file away to begin with an empty queue"
    case .diskFull(let path):
      return "no space is left for the store \(path): nothing was written; free some space or raise the quota"
    case .busy(let path):
      return "the store \(path) is locked by another process: nothing was written; "
        + "see who has it open with 'fuser \(path)' (a second touchgated?)"
    case .damaged(let path, let message):
      return "the store \(path) is damaged (\(message)): restart the service, it sets the file aside"
    case .duplicateID(let id):
      return "an update with the id \(id) is already there"
    case .unknownID(let id):
      return "there is no update with the id \(id)"
    case .wrongState(let id, let state, let allowed):
      return "the update \(id) is \(state), which does not allow this change: it must be "
        + allowed.joined(separator: " or ")
    case .payloadGone(let id):
      return "the payload of the update \(id) is not kept any more (KeepPayloads=): submit it again"
    case .closed:
      return "the store is closed"
    case .other(let code, let message):
      return "SQLite error \(code): \(message)"
    }
  }

  private static func advice(_ errno: Int32) -> String {
    switch errno {
    case ENOENT, ENOTDIR: "create its folder (systemd does with StateDirectory=touchgate)"
    case EACCES, EPERM: "folder and file must belong to the user that runs the service"
    case EROFS: "its file system is mounted read-only"
    case EISDIR: "it is a folder: name a file in it"
    case ENOSPC, EDQUOT: "free some space or raise the quota"
    default: "check its folder and its file system"
    }
  }
}
