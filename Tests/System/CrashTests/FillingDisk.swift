import Foundation
import Seeded
import Synchronization
import Testing

/// A small file system that another process fills to the last byte and empties, again and again.
final class FillingDisk: Sendable {
  private let path: String
  private let stopped = Atomic<Bool>(false)
  private let ended = Atomic<Bool>(false)

  /// Needs root, to mount.
  init(at folder: String, size: String) throws {
    path = "\(folder)/of-somebody-else"
    try #require(mount("tmpfs", folder, "tmpfs", 0, "size=\(size),mode=700") == 0, "mount: errno \(errno)")
  }

  /// Who has which part of it, for a test that fails.
  var place: String {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    var system = statvfs()
    let isThere = statvfs(folder, &system) == 0
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    let files = names.map { name in
      var status = stat()
      stat("\(folder)/\(name)", &status)
      return "\(name) \(status.st_size) in \(status.st_blocks * 512)"
    }
    return "free \(isThere ? Int(system.f_bfree * system.f_frsize) : -1): \(files.prefix(20).joined(separator: ", "))"
  }

  func start(seed: UInt64) {
    Thread.detachNewThread { [self] in
      var random = SplitMix64(seed: seed)
      while !stopped.load(ordering: .relaxed) {
        fill()
        usleep(UInt32(1000 * (100 + random.below(600))))
        unlink(path)
        usleep(UInt32(1000 * random.below(400)))
      }
      ended.store(true, ordering: .relaxed)
    }
  }

  func stop() {
    stopped.store(true, ordering: .relaxed)
    while !ended.load(ordering: .relaxed) { usleep(1000) }
  }

  private func fill() {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(file) }
    for size in [65536, 4096, 1] {
      let bytes = [UInt8](repeating: 0, count: size)
      while write(file, bytes, size) > 0 {}
    }
  }
}
