import Evdev
import Seeded

/// All that a trial depends on: the same plan gives the same verdicts, and a plan with fewer faults is a plan.
struct Plan {
  /// How the device ends.
  enum Ending: CaseIterable {
    /// As in the recording.
    case recorded
    /// All fingers lift.
    case lifted
    /// All fingers lift under a foreign grab that does not end.
    case liftedUnderGrab
    /// They lift while the reader is stopped.
    case liftedWhilePaused
    /// The device sends only BTN_TOUCH 0.
    case buttonOnly
    /// The machine is suspended.
    case released
    case unplugged
  }

  let stream: Stream
  var firstFrame: Int
  var frameCount: Int
  var shape: SimulatedKernel.Shape
  /// Most events that one read(2) returns.
  var chunk: Int
  /// After a release the driver sends BTN_TOUCH 1 again with its next frame.
  var driverRepeatsButton = true
  var faults: [(frame: Int, fault: Fault)] = []
  var ending: Ending

  /// The whole stream, without faults.
  init(clean stream: Stream) {
    self.stream = stream
    (firstFrame, frameCount) = (0, stream.frames.count)
    shape = SimulatedKernel.Shape(hasTouchButton: stream.hasTouchButton, hasAutorepeat: stream.hasAutorepeat)
    chunk = 64
    ending = .recorded
  }

  /// A part of the stream, with faults.
  init(_ stream: Stream, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.stream = stream
    firstFrame = random.below(stream.snapshots.count) * Stream.snapshotStep
    // Fewer frames if they are large, so that a trial takes about the same time on every device.
    let typical = max(3, stream.events.count / stream.frames.count)
    frameCount = min(stream.frames.count - firstFrame, 10 + random.below(600 / typical))
    shape = SimulatedKernel.Shape(
      capacity: [64, 64, 128, 1024][random.below(4)], layout: random.oneIn(2) ? .time32 : .time64,
      hasToolAxes: random.oneIn(2), hasTouchButton: stream.hasTouchButton, hasAutorepeat: stream.hasAutorepeat,
      masks: !random.oneIn(3))
    chunk = random.oneIn(2) ? 64 : 1 + random.below(20)
    driverRepeatsButton = random.oneIn(2)
    ending = Ending.allCases[1 + random.below(Ending.allCases.count - 1)]
    let odds = 2 + random.below(8)
    for frame in firstFrame..<(firstFrame + frameCount) where random.oneIn(odds) {
      let fault = Fault.random(
        events: stream.frames[frame].count, lift: stream.lifts.contains(frame), &random)
      faults.append((frame, fault))
    }
  }
}
