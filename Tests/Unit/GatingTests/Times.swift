import Gating
import Timeline
import TouchModel

/// Seconds of the test's clock.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }

func finger(_ slot: Int, _ id: Int32) -> Contact { Contact(slot: slot, id: id) }

let panel = DeviceID("/sys/devices/panel/input/input3")
let pen = DeviceID("/sys/devices/panel/input/input4")
