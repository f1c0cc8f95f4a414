import Foundation

/// Rules of udev that a test adds; removed with the value.
final class UdevRules {
  private let path = "/run/udev/rules.d/72-touchgate-test.rules"

  init() throws {
    try FileManager.default.createDirectory(atPath: "/run/udev/rules.d", withIntermediateDirectories: true)
  }

  func set(_ line: String) throws {
    try "\(line)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try reload()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    try? reload()
  }

  private func reload() throws { _ = try Run("/usr/bin/udevadm", ["control", "--reload"]) }
}

/// Waits until udevd has told everybody of all devices that came and went before now.
func settleUdev() throws { _ = try Run("/usr/bin/udevadm", ["settle", "-t", "20"]) }
