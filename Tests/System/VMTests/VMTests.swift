import Testing

/// The real programs on a real kernel. One after the other: every service under test sees every screen there is.
@Suite("In the test VM", .enabled(if: isInVM, "runs in the test VM: make test"), .serialized)
enum VMTests {}
