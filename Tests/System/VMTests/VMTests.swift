import Testing

/// The real programs on a real kernel. Serialized, since every service under test sees every screen.
@Suite("In the test VM", .enabled(if: isInVM, "runs in the test VM: make test"), .serialized)
enum VMTests {}
