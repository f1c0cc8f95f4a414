import Glibc
public import Timeline

/// Waits until `descriptor` is ready for `events`, such as `POLLIN`, or has an error or a hangup (poll(2)); at most until
/// `deadline`, nil: for ever. False: the time is over. Throws `Errno`.
public func waitUntilReady(_ descriptor: CInt, for events: CInt, until deadline: Instant?) throws(Errno) -> Bool {
  while true {
    var milliseconds: CInt = -1
    if let deadline {
      let left = (deadline - SystemClock.monotonic).wholeMilliseconds
      if left < 0 { return false }
      // Rounded up, so that the last wait is not a busy loop.
      milliseconds = CInt(clamping: left + 1)
    }
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    let count = poll(&entry, 1, milliseconds)
    if count > 0 { return true }
    let reason = Errno()
    // Not `retry`: after a signal only the rest of the time is left.
    if count < 0 && reason.code != EINTR { throw reason }
  }
}
