import CLibsystemd
import CLinux
import Glibc
import Linux
public import ServiceConfiguration
import SocketServer
import TouchgateAPI

/// What the command line of touchgated says.
public struct DaemonOptions: Sendable {
  /// The queue, and the locks and markers of handlers.
  public var stateDirectory: String
  /// Where to listen, unless systemd passes a socket.
  public var socketPath: String
  /// A recording to play in place of devices.
  public var replay: String?
  /// Where the configuration is read from, at a reload too; later folders win.
  public var folders: [String]

  public init(
    stateDirectory: String, socketPath: String, replay: String? = nil, folders: [String] = Configuration.folders
  ) {
    self.stateDirectory = stateDirectory
    self.socketPath = socketPath
    self.replay = replay
    self.folders = folders
  }

  var queuePath: String { "\(stateDirectory)/queue.sqlite" }

  /// Creates the state directory and takes its lock, which is held until the process ends.
  func takeStateDirectory() throws(CannotStart) {
    if mkdir(stateDirectory, 0o700) != 0 && errno != EEXIST {
      throw CannotStart("cannot create the state directory \(stateDirectory): \(Errno())")
    }
    if tg_open_lock("\(stateDirectory)/lock") < 0 {
      let code = Errno()
      let reason = code.isWouldBlock ? "another touchgated uses it" : "\(code)"
      throw CannotStart("cannot use the state directory \(stateDirectory): \(reason)")
    }
  }

  func listeningSocket() throws -> CInt {
    switch sd_listen_fds(1) {
    case 0: return try HTTPServer.listen(path: socketPath, mode: 0o660)
    case 1: return CInt(SD_LISTEN_FDS_START)
    case let count: throw CannotStart("systemd passed \(count) sockets; touchgated.socket must have one")
    }
  }
}

/// Why the service cannot start, worded for the log.
public struct CannotStart: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension Daemon {
  public static let version = Version.text
}
