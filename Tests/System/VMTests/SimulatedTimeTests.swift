import Foundation
import Testing

/// True in the test VM of `Tests/Tools/run simtime`: sleeps cost nothing there, and a kernel that can be suspended.
let isTimeSimulated = ProcessInfo.processInfo.environment["TOUCHGATE_TIME_IS_SIMULATED"] != nil

/// The real programs on a kernel whose clock leaps over every pause: what takes minutes, and what depends on a few
/// milliseconds. Here a test may let a time pass, since computing takes none.
@Suite("In simulated time", .enabled(if: isTimeSimulated, "runs in the test VM: make test"), .serialized)
enum SimulatedTimeTests {}

/// Lets so much of the guest's time pass.
func pass(_ time: Duration) {
  Thread.sleep(forTimeInterval: Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
}
