import Glibc
import Linux
public import Scheduling

/// Errors of the store, worded for the reader of the log.
public enum StoreError: Error, Equatable, Sendable {
  /// The file cannot be opened, created or written. `errno` is the system's reason, 0 if it gave none; `message` is
  /// SQLite's, empty if `errno` is sufficient.
  case cannotOpen(path: String, errno: Int32, message: String)
  /// The file was written by a newer version of this program. It is not changed.
  case newerSchema(path: String, found: Int, known: Int)
  /// No space left on the device, over quota, or over the page limit. Nothing of the batch was written.
  case diskFull(path: String)
  /// Another process held the write lock for longer than the busy timeout. Nothing was written.
  case busy(path: String)
  /// SQLite found the file damaged. The next `QueueStore.init` sets it aside.
  case damaged(path: String, message: String)
  /// `accept` with an id that already exists. Nothing of the batch was written.
  case duplicateID(UpdateID)
  /// `accept` with an id that the client's user has used already. Nothing of the batch was written.
  case duplicateClientID(ClientID, uid: UInt32)
  /// A write for an id that does not exist. Nothing of the batch was written.
  case unknownID(UpdateID)
  /// The update's state does not allow the write. Nothing of the batch was written.
  case wrongState(UpdateID, state: String, allowed: [String])
  /// `reopen` of an update that has dropped its payload. Nothing of the batch was written.
  case payloadGone(UpdateID)
  /// The file was removed or replaced while the service runs: what is written now is lost. Nothing was written.
  case removed(path: String)
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
      return "cannot open the queue \(path): \(reason); \(Self.advice(errno))"
    case .newerSchema(let path, let found, let known):
      return "the queue \(path) has schema \(found), but this version supports only up to \(known); "
        + "install the newer version again, or move the file away to start with an empty queue"
    case .diskFull(let path):
      return "no space is left for the queue \(path); nothing was written; free some space or raise the quota"
    case .busy(let path):
      return "the queue \(path) is locked by another process; nothing was written; "
        + "find the process with 'fuser \(path)' and stop it"
    case .damaged(let path, let message):
      return "the queue \(path) is damaged (\(message)); restart touchgated to rename it and start an empty queue"
    case .duplicateID(let id):
      return "an update with the id \(id) already exists"
    case .duplicateClientID(let id, let uid):
      return "user \(uid) already has an update with the id \(id)"
    case .unknownID(let id):
      return "there is no update with the id \(id)"
    case .wrongState(let id, let state, let allowed):
      return "the update \(id) is \(state), which does not allow this change; it must be "
        + allowed.joined(separator: " or ")
    case .payloadGone(let id):
      return "the payload of the update \(id) is no longer kept (KeepPayloads=); submit the update again"
    case .removed(let path):
      return "the queue \(path) was removed or replaced while touchgated runs, so nothing new is accepted; "
        + "restart touchgated to start a new one"
    case .closed:
      return "the queue is closed"
    case .other(let code, let message):
      return "SQLite error \(code): \(message)"
    }
  }

  /// For the scheduler, and for the answer.
  public var failure: StoreFailure {
    switch self {
    case .diskFull, .cannotOpen(path: _, errno: ENOSPC, message: _), .cannotOpen(path: _, errno: EDQUOT, message: _):
      .full("\(self)")
    case .cannotOpen, .newerSchema, .busy, .damaged, .duplicateID, .duplicateClientID, .unknownID, .wrongState,
      .payloadGone, .removed,
      .closed, .other:
      .failed("\(self)")
    }
  }

  private static func advice(_ errno: Int32) -> String {
    switch errno {
    case ENOENT, ENOTDIR: "create its folder (under systemd, StateDirectory=touchgate does)"
    case EACCES, EPERM: "folder and file must belong to the user that runs the service"
    case EROFS: "its file system is mounted read-only"
    case EISDIR: "it is a folder; a file is expected"
    case ENOSPC, EDQUOT: "free some space or raise the quota"
    default: "check its folder and its file system"
    }
  }
}
