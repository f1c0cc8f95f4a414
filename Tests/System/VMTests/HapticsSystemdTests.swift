import Foundation
import Testing
import VirtualVibrator

extension SystemdTests {
  @Test("the installed service vibrates from its sandbox, and its thread has only its own descriptors")
  func haptics() throws {
    let vibrator = try VirtualVibrator("Tapper")
    defer { vibrator.unplug() }
    let started = try Run("/usr/bin/systemctl", ["restart", "touchgated.service"])
    try #require(started.status == 0, "\(started.errors)")
    try settleUdev()
    var isFelt = false
    // If other programs keep the machine busy, a pulse comes late now and then, and is left out.
    for _ in 0..<10 where !isFelt { isFelt = try Run("/usr/bin/touchgate", ["feedback", "--self-test"]).status == 0 }
    #expect(isFelt)
    #expect(!vibrator.events.plays.isEmpty)
    let pid = try Run("/usr/bin/systemctl", ["show", "touchgated.service", "-P", "MainPID"]).output
      .trimmingCharacters(in: .newlines)
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").filter { $0 != pid }
    let thread = try #require(threads.first)
    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task/\(thread)/fd")
    let targets = files.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/task/\(thread)/fd/\($0)")
    }
    #expect(
      threads.count == 1 && !targets.contains { $0.contains("queue.sqlite") || $0.contains("lock") }, "\(targets)")
    #expect(files.count <= 6, "standard streams, two doorbells, the device: \(targets)")
  }
}
