import Glibc
import Linux

/// Files that only root can change: root owns the file and every folder and link on the way to it, and nobody else may
/// write to the file or to one of the folders.
struct TrustedPath {
  /// The user who counts as root; another one in tests.
  var owner: uid_t = 0
  /// Folders above this one are not checked; `/` checks all.
  var top = "/"

  private static let mostLinks = 40

  /// Why the file cannot be trusted; nil if it can.
  enum Problem: Equatable {
    case missing
    /// A link to /dev/null, or another device.
    case notRegular
    /// Words for a message.
    case untrusted(String)
  }

  /// Follows `path` component by component. Nil: it is a regular file, and only the owner can change it.
  func problem(_ path: String) -> Problem? { problem(path, as: S_IFREG) }

  /// The same for a folder.
  func problem(folder path: String) -> Problem? { problem(path, as: S_IFDIR) }

  private func problem(_ path: String, as kind: mode_t) -> Problem? {
    var (place, rest) = start(path)
    var links = 0
    var status = stat()
    if let problem = check(place.isEmpty ? "/" : place, &status) { return problem }
    while let name = rest.first {
      rest.removeFirst()
      if name == "." { continue }
      if name == ".." {
        place = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? ""
        continue
      }
      let next = "\(place)/\(name)"
      if let problem = check(next, &status) { return problem }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        place = next
        continue
      }
      links += 1
      guard links <= Self.mostLinks, let target = Self.target(of: next) else {
        return .untrusted("\(next): \(Errno(ELOOP))")
      }
      if target.hasPrefix("/") {
        let (newPlace, more) = start(target)
        (place, rest) = (newPlace, more + rest)
      } else {
        rest = Self.components(target) + rest
      }
    }
    return status.st_mode & S_IFMT == kind ? nil : .notRegular
  }

  /// The folder to begin with, without a slash at its end, and the way from there.
  private func start(_ path: String) -> (place: String, rest: [String]) {
    let top = top == "/" ? "" : top
    guard path.hasPrefix(top + "/") else { return ("", Self.components(path)) }
    return (top, Self.components(String(path.dropFirst(top.count))))
  }

  private static func components(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }

  private func check(_ path: String, _ status: inout stat) -> Problem? {
    guard lstat(path, &status) == 0 else {
      let reason = Errno()
      return reason.code == ENOENT ? .missing : .untrusted("\(path): \(reason)")
    }
    guard status.st_uid == owner else {
      return .untrusted("\(path) belongs to user \(status.st_uid), not to root")
    }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: return nil
    case S_IFREG, S_IFDIR:
      return status.st_mode & (S_IWGRP | S_IWOTH) == 0 ? nil : .untrusted("others than root may write to \(path)")
    default: return .notRegular
    }
  }

  private static func target(of link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(link, &bytes, bytes.count)
    guard length > 0, length < bytes.count else { return nil }
    return String(decoding: bytes.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
