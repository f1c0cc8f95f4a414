import Glibc
import Linux

/// Reports which nodes of `/dev/input` come, change and go (inotify(7)). It needs no udev.
public final class NodeWatch {
  public static let folder = "/dev/input"

  /// What one wake-up found.
  public enum Changes: Equatable, Sendable {
    /// The names of event nodes, in the order of their last changes.
    case names([String])
    /// Changes were lost, or the folder is another one: list it again.
    case all
  }

  private let descriptorOwner: FileDescriptor
  private var folderWatch: CInt = -1
  private var parentWatch: CInt = -1
  private var buffer = [UInt8](repeating: 0, count: 8192)

  /// Throws `EvdevError` if the kernel has no more inotify instances.
  public init() throws(EvdevError) {
    do {
      descriptorOwner = try FileDescriptor(owning: inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)))
    } catch {
      throw EvdevError("inotify", error.code, advice: "raise fs.inotify.max_user_instances")
    }
    watchFolder()
  }

  /// Becomes readable when `receive` has something.
  public var descriptor: CInt { descriptorOwner.raw }

  public static func isEventNode(_ name: String) -> Bool {
    name.hasPrefix("event") && name.count > 5 && name.dropFirst(5).allSatisfy { $0.isASCII && $0.isNumber }
  }

  /// Reads what is there, at most one buffer of it; the rest wakes the service again.
  public func receive() -> Changes {
    let size = buffer.withUnsafeMutableBytes { bytes in
      retry { Glibc.read(descriptor, bytes.baseAddress, bytes.count) }
    }
    guard size > 0 else { return .names([]) }
    var names: [String] = []
    var isLost = false
    var offset = 0
    let header = 16
    while offset + header <= size {
      let (watch, mask, length) = buffer.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: offset, as: CInt.self),
          bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
          Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        )
      }
      let end = min(offset + header + length, size)
      let name = String(decoding: buffer[offset + header..<end].prefix { $0 != 0 }, as: UTF8.self)
      offset = end
      if mask & UInt32(IN_Q_OVERFLOW) != 0 {
        isLost = true
      } else if watch == parentWatch {
        if name == "input" && mask & UInt32(IN_IGNORED) == 0 { isLost = watchFolder() || isLost }
      } else if watch == folderWatch {
        if mask & UInt32(IN_IGNORED) != 0 {
          // The kernel removes the folder with its last node.
          watchFolder()
          isLost = true
        } else if Self.isEventNode(name) {
          names.removeAll { $0 == name }
          names.append(name)
        }
      }
    }
    return isLost ? .all : .names(names)
  }

  /// Watches the folder, or its parent until it exists. Returns whether it exists.
  @discardableResult
  private func watchFolder() -> Bool {
    let nodes = UInt32(IN_CREATE) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM)
    // The parent first: the folder may appear between the two calls.
    if parentWatch < 0 {
      parentWatch = inotify_add_watch(descriptor, "/dev", UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR))
    }
    folderWatch = inotify_add_watch(descriptor, Self.folder, nodes | UInt32(IN_ONLYDIR))
    if folderWatch < 0 { return false }
    if parentWatch >= 0 { inotify_rm_watch(descriptor, parentWatch) }
    parentWatch = -1
    return true
  }
}
