import CLinux
import Glibc
import Haptics
import Linux
import Timeline

/// Executes the commands of the haptics thread.
struct VibratorWork: ~Copyable {
  enum Order: Sendable {
    case command(MotorCommand)
    case quit
  }

  enum Report: Sendable {
    case motor(MotorReport)
    case ended
  }

  private struct Open: ~Copyable {
    let device: VibratorDevice
    var bank: EffectBank
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC at the last open or check; grows while the machine sleeps.
    var slept: Duration
  }

  private let table: PatternTable
  private let strength: Double
  private let tell: (MotorReport) -> Void
  private var node = ""
  private var session = 0
  private var open: Open?

  init(table: PatternTable, strength: Double, tell: @escaping (MotorReport) -> Void) {
    self.table = table
    self.strength = strength
    self.tell = tell
  }

  mutating func perform(_ command: MotorCommand) {
    switch command {
    case .use(let node, let session):
      close()
      self.node = node
      self.session = session
    case .release:
      close()
    case .prepare(let kind, let session):
      guard session == self.session else { return }
      attempt { work throws(VibratorError) in
        let start = SystemClock.monotonic
        try work.ready(kind)
        work.tell(MotorReport(session: session, .prepared(kind, took: SystemClock.monotonic - start)))
      }
    case .play(let id, let kind, let until, let session):
      guard session == self.session else { return }
      attempt { work throws(VibratorError) in try work.play(id, kind, until) }
    }
  }

  private mutating func attempt(_ body: (inout VibratorWork) throws(VibratorError) -> Void) {
    do throws(VibratorError) {
      try body(&self)
    } catch {
      open = nil
      tell(MotorReport(session: session, .failed("\(error)")))
    }
  }

  private mutating func play(_ id: FeedbackCalls.ID, _ kind: FeedbackKind, _ until: Instant) throws(VibratorError) {
    if SystemClock.monotonic < until { try ready(kind) }
    let start = SystemClock.monotonic
    // The deadline may have passed during the upload, or while this command waited behind one that hung.
    guard start < until, let events = open?.bank.play(kind, start) else {
      tell(MotorReport(session: session, .missed(id)))
      return
    }
    try open?.device.write(events)
    tell(MotorReport(session: session, .played(id, at: start, took: SystemClock.monotonic - start)))
  }

  /// Opens the device if it is closed, and uploads the missing effects.
  private mutating func ready(_ kind: FeedbackKind) throws(VibratorError) {
    let slept = Self.slept()
    if open == nil {
      let device = try VibratorDevice(node: node)
      let bank = EffectBank(table: table, strength: strength, motor: device.motor)
      open = Open(device: device, bank: bank, slept: slept)
    }
    if let before = open?.slept, slept - before > .milliseconds(100) {
      open?.bank.doubtAll()
      open?.slept = slept
    }
    while let uploads = open?.bank.missing(kind), !uploads.isEmpty {
      // Overwriting an effect that still plays would restart it.
      if let stops = open?.bank.silence(SystemClock.monotonic) { try open?.device.write(stops) }
      for upload in uploads {
        if try !perform(upload, of: kind) { break }
      }
    }
  }

  /// Returns false if the missing uploads must be computed again.
  private mutating func perform(_ upload: EffectBank.Upload, of kind: FeedbackKind) throws(VibratorError) -> Bool {
    do throws(VibratorError) {
      guard let id = try open?.device.upload(upload.effect, over: upload.id) else { return false }
      open?.bank.uploaded(kind, upload, id: id)
      return true
    } catch {
      if error.reason.code == EINVAL && upload.id != nil {
        open?.bank.lost(kind, upload)
        return false
      }
      if error.reason.code == ENOSPC && upload.id == nil, open?.bank.noRoom(kind) == true { return false }
      throw error
    }
  }

  private mutating func close() {
    // Closing stops them too, unless another process holds the file open.
    if let stops = open?.bank.silence(SystemClock.monotonic) { try? open?.device.write(stops) }
    open = nil
  }

  private static func slept() -> Duration {
    SystemClock.boottime - SystemClock.monotonic
  }
}
