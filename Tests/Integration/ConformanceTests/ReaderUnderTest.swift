import Timeline
import TouchModel
import TouchReading

/// The shipped `DeviceReader` on a simulated kernel, woken as the service wakes it, with its outputs counted.
final class ReaderUnderTest {
  private(set) var begins = 0
  private(set) var ends = 0
  /// A table was taken over in the middle of a frame; it is compared again within 20 ms.
  private(set) var adoptedInFrame: Instant?
  /// Most events that were read before anything else had its turn.
  private(set) var mostReadAtOnce = 0

  private var reader: DeviceReader
  private let kernel: SimulatedKernel

  /// Opens the device; reads at most `chunk` events at a time.
  init(_ kernel: SimulatedKernel, _ profile: ScreenProfile, chunk: Int, now: Instant) {
    self.kernel = kernel
    kernel.chunk = chunk
    var profile = profile
    profile.masksButton = kernel.masksButton
    reader = DeviceReader(profile: profile, somethingWaits: true)
    timePassed(now)
  }

  var tracker: ContactTracker { reader.tracker }
  var verdict: ContactTracker.Verdict { reader.verdict }
  var nextDeadline: Instant? { reader.nextDeadline }
  var isAwaitingTable: Bool { reader.isAwaitingTable }
  var isFrameCut: Bool { reader.cutFrameDue != nil }

  /// The descriptor is readable: the loop comes back as long as it is.
  func wake(_ now: Instant) {
    while kernel.hasQueued { count(now) { $0.readable(kernel, at: now) } }
  }

  func timePassed(_ now: Instant) { count(now) { $0.timePassed(kernel, at: now) } }
  func recheck(_ now: Instant) { count(now) { $0.recheck(kernel, at: now) } }

  func unplugged(_ now: Instant) {
    kernel.isGone = true
    count(now) { $0.readable(kernel, at: now) }
  }

  private func count(_ now: Instant, _ input: (inout DeviceReader) -> [DeviceReader.Output]) {
    let before = (read: kernel.eventsRead, discards: kernel.discards)
    for output in input(&reader) {
      switch output {
      case .change(.began): begins += 1
      case .change(.ended): ends += 1
      case .gone(let contacts): ends += contacts
      case .change, .ready, .unreadable, .repaired, .stuck: break
      }
    }
    mostReadAtOnce = max(mostReadAtOnce, kernel.eventsRead - before.read)
    if kernel.discards != before.discards && !reader.isAwaitingTable {
      adoptedInFrame = kernel.isInFrame ? now : nil
    }
  }
}
