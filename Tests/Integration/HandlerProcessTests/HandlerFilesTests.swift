import Foundation
import Glibc
import Scheduling
import Testing

@testable import Handlers

@Suite("Files of handlers")
final class HandlerFilesTests {
  let folder = NSTemporaryDirectory() + "touchgate-files-\(UUID().uuidString)"
  let files: HandlerFiles

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    files = HandlerFiles(folder: folder)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

  @Test("what former handlers left is removed at start, except that of the update that is being applied")
  func sweep() throws {
    let kept = try #require(UpdateID("kept"))
    for name in ["handler-a.lock", "handler-a.unit", "handler-kept.lock", "handler-kept.unit", "queue.sqlite", "lock"] {
      try "".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
    #expect(files.sweep(keeping: [kept]) == 2)
    #expect(names == ["handler-kept.lock", "handler-kept.unit", "lock", "queue.sqlite"])
    #expect(files.sweep(keeping: []) == 2)
    #expect(names == ["lock", "queue.sqlite"])
  }

  @Test("a marker is written on a full disk, and again", .enabled(if: getuid() == 0, "needs root, to mount"))
  func fullDisk() throws {
    try #require(mount("tmpfs", folder, "tmpfs", 0, "size=64k,mode=700") == 0, "errno \(errno)")
    defer { umount2(folder, CInt(MNT_DETACH)) }
    files.keepSpare()
    let filler = open("\(folder)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let bytes = [UInt8](repeating: 0, count: 4096)
    while write(filler, bytes, bytes.count) > 0 {}
    let path = files.marker(try #require(UpdateID("a")))
    var marker = UnitMarker(unit: "touchgate-a@a.service", asked: 1, boot: "boot")
    try marker.write(path, spare: files.spare)
    #expect(UnitMarker(path: path) == marker && names == ["filler", "handler-a.unit"])
    marker.isAccepted = true
    try marker.write(path, spare: files.spare)
    #expect(UnitMarker(path: path) == marker)
    files.keepSpare()
    #expect(names == ["filler", "handler-a.unit"], "no room for another spare file")
    #expect(throws: (any Error).self) { try marker.write("\(folder)/b", spare: files.spare) }
    unlink("\(folder)/b")
    ftruncate(filler, 0)
    files.keepSpare()
    #expect(names == ["filler", "handler-a.unit", "handler.spare"])
    close(filler)
  }
}
