import Foundation
import Testing

/// True in the test VM of `Tests/Tools/run simtime`, where sleeps cost nothing and the kernel can be suspended.
let isTimeSimulated = ProcessInfo.processInfo.environment["TOUCHGATE_TIME_IS_SIMULATED"] != nil

/// The real programs on a kernel whose clock skips idle time: for tests that take minutes, and for tests that depend on a
/// few milliseconds. Computing takes no time there.
@Suite("In simulated time", .enabled(if: isTimeSimulated, "runs in the test VM: make test"), .serialized)
enum SimulatedTimeTests {}
