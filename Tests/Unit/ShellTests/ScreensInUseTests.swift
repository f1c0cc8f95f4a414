import DeviceRules
import Evdev
import EventLoop
import Foundation
import Gating
import Scheduling
import ServiceLog
import Testing
import Timeline
import TouchDevices
import UpdateStore

@testable import Service

@Suite("The screens in use")
final class ScreensInUseTests {
  private let folder = NSTemporaryDirectory() + "touchgate-screens-\(UUID().uuidString)"
  private let loop: EventLoop
  private let store: QueueStore
  /// A screen that was there in two boots.
  private let door = StoredScreen(name: "Door", boots: 2, boot: "earlier", hardware: nil)

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    loop = try EventLoop()
    store = try QueueStore(path: "\(folder)/queue.sqlite", now: WallTime(millisecondsSinceEpoch: 0))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func screens(
    _ rules: Screens.Rules = Screens.Rules(), remembers: Bool = true, file: String? = nil
  ) throws -> ScreensInUse {
    try ScreensInUse(
      loop: loop, log: Log(), settings: TouchSettings(screenRules: rules), memory: remembers ? store : nil,
      replay: try file ?? Panel.write(folder, touched: false), now: at(0))
  }

  @Test("a recording is a screen with the name of its device")
  func replay() throws {
    let screens = try screens()
    #expect(screens.count == 0)
    try screens.start(at(0))
    #expect(screens.count == 1 && screens.gateStates[.screen("Panel")] == .clear(since: at(0)))
  }

  @Test("a finger of the recording blocks its screen")
  func touched() throws {
    let screens = try screens(file: try Panel.write(folder, touched: true))
    try screens.start(at(0))
    screens.recheck(at(1))
    guard case .blocked(let blocker) = screens.gateStates[.screen("Panel")] else {
      Issue.record("it is clear")
      return
    }
    #expect(blocker.code == .touched && blocker.contacts == 1)
  }

  @Test("a recording that cannot be played prevents the start, and is named")
  func unplayable() throws {
    let missing = try screens(file: "\(folder)/none")
    #expect {
      try missing.start(at(0))
    } throws: { error in
      error is CannotStart && "\(error)".hasPrefix("\(folder)/none: ") && "\(error)".contains("No such file")
    }
    try "# EVEMU 1.3\nN: Mouse\nI: 0003 0001 0001 0001\n".write(
      toFile: "\(folder)/mouse", atomically: true, encoding: .utf8)
    let mouse = try screens(file: "\(folder)/mouse")
    #expect(throws: CannotStart.self) { try mouse.start(at(0)) }
  }

  @Test("a screen that was seen is waited for after the next start, once it is remembered")
  func remembers() throws {
    let first = try screens()
    try first.start(at(0))
    #expect(try store.screens() == [])
    first.rememberNew()
    #expect(try store.screens().map(\.name) == ["Panel"])
    try store.remember(screens: [door], forget: [])
    let next = try screens()
    try next.start(at(0))
    next.rememberNew()
    #expect(try store.screens().map(\.name) == ["Door", "Panel"], "it is missing, and may still come")
    guard case .blocked = next.gateStates[.screen("Door")] else {
      Issue.record("nobody waits for it")
      return
    }
  }

  @Test("a screen that is not waited for any more is forgotten")
  func forgets() throws {
    try store.remember(screens: [door], forget: [])
    let screens = try screens(Screens.Rules(missingGrace: .zero))
    try screens.start(at(0))
    screens.rememberNew()
    #expect(try store.screens().map(\.name) == ["Panel"])
  }

  @Test("a forgotten screen is not waited for, now and after the next start")
  func forget() throws {
    try store.remember(screens: [door], forget: [])
    let screens = try screens()
    try screens.start(at(0))
    #expect(screens.isRemembered("Door") && screens.gateStates[.screen("Door")] != nil)
    screens.forget("Door")
    #expect(!screens.isRemembered("Door") && screens.gateStates[.screen("Door")] == nil)
    #expect(try store.screens().map(\.name) == ["Panel"])
  }

  @Test("a screen that Ignore= excludes is not waited for, although it is absent")
  func ignored() throws {
    try store.remember(screens: [door], forget: [])
    let rule = try #require(DeviceRule("name:Door", use: false))
    let screens = try ScreensInUse(
      loop: loop, log: Log(), settings: TouchSettings(deviceRules: [rule]), memory: store,
      replay: Panel.write(folder, touched: false), now: at(0))
    try screens.start(at(0))
    #expect(screens.gateStates[.screen("Door")] == nil)
    screens.rememberNew()
    #expect(try store.screens().map(\.name) == ["Panel"])
  }

  @Test("without a memory nothing is remembered")
  func forgetful() throws {
    try store.remember(screens: [door], forget: [])
    let screens = try screens(remembers: false)
    try screens.start(at(0))
    screens.rememberNew()
    #expect(try store.screens().map(\.name) == ["Door"] && screens.gateStates[.screen("Door")] == nil)
  }

  @Test("a reload does not replace what plays")
  func reloadOfReplay() throws {
    let screens = try screens()
    try screens.start(at(0))
    let before = screens.input
    try screens.adopt(TouchSettings(stuckAfter: .seconds(20)), at(1))
    #expect(screens.input === before && screens.count == 1)
  }

  @Test(
    "a reload finds all screens again, and does not wake the machine",
    .enabled(if: (try? DeviceMonitor()) != nil, "udev is not available"))
  func reload() throws {
    let screens = try ScreensInUse(
      loop: loop, log: Log(), settings: TouchSettings(), memory: nil, replay: nil, now: at(0))
    let before = screens.input
    before.goesToSleep(at(1))
    try screens.adopt(TouchSettings(stuckAfter: .seconds(20)), at(2))
    #expect(screens.input !== before && screens.input.sleepsSince == at(1))
  }
}
