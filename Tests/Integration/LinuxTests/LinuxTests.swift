import Glibc
import Linux
import Testing
import Timeline

@Suite("Linux")
struct LinuxTests {
  @Test("a descriptor is closed with its owner")
  func closes() throws {
    let number = try open()
    #expect(fcntl(number, F_GETFD) == -1)
    #expect(Errno() == Errno(EBADF))
  }

  private func open() throws -> CInt {
    let file = try FileDescriptor(opening: "/dev/null", O_RDONLY)
    #expect(fcntl(file.raw, F_GETFD) == FD_CLOEXEC)
    return file.raw
  }

  @Test("what cannot be opened is reported with the C library's text")
  func missing() {
    #expect(throws: Errno(ENOENT)) { try readFile("/nowhere/at/all", limit: 10) }
    #expect("\(Errno(ENOENT))" == "No such file or directory")
  }

  @Test("a file is read up to its end, or up to the limit")
  func reading() throws {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    let text = Array("two\nlines\n".utf8)
    do {
      let end = try FileDescriptor(owning: ends[1])
      try end.write(text)
    }
    let end = try FileDescriptor(owning: ends[0])
    #expect(try end.readToEnd(limit: 4) == Array(text[..<4]))
    #expect(try end.readToEnd(limit: 100) == Array(text[4...]))
  }

  @Test("an interrupted call is repeated, any other failure is not")
  func repeating() {
    var calls = 0
    let result: Int = retry {
      calls += 1
      errno = calls < 3 ? EINTR : EIO
      return -1
    }
    #expect(result == -1 && calls == 3)
  }

  @Test("waiting ends when something is there, when the other end is closed, and when its time is over")
  func waiting() throws {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    let reading = try FileDescriptor(owning: ends[0])
    do {
      let writing = try FileDescriptor(owning: ends[1])
      let end = SystemClock.monotonic + .milliseconds(20)
      #expect(try !waitUntilReady(reading.raw, for: POLLIN, until: end) && SystemClock.monotonic >= end)
      try writing.write([1])
      #expect(try waitUntilReady(reading.raw, for: POLLIN, until: nil))
      _ = try reading.readToEnd(limit: 1)
    }
    #expect(try waitUntilReady(reading.raw, for: POLLIN, until: nil), "a hangup")
  }

  @Test("sleeping lasts until its time, and not at all if that is past")
  func sleeping() {
    let begin = SystemClock.monotonic
    SystemClock.sleep(until: begin + .milliseconds(20))
    #expect(SystemClock.monotonic - begin >= .milliseconds(20))
    SystemClock.sleep(until: .distantPast)
  }

  @Test("the boot id is one word, and clocks go forward")
  func clocks() {
    #expect(SystemClock.bootID.count == 36)
    let before = SystemClock.monotonic
    #expect(SystemClock.monotonic >= before)
    #expect(SystemClock.boottime >= before)
  }
}
