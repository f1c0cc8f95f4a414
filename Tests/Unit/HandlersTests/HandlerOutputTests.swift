import Glibc
import Testing

@testable import Handlers

@Suite("What a handler writes")
struct HandlerOutputTests {
  /// Both ends of a pipe that does not block, of a megabyte.
  private final class Pipe {
    let reading: CInt
    private var writing: CInt

    init() throws {
      var ends: [CInt] = [0, 0]
      try #require(pipe(&ends) == 0)
      for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
      (reading, writing) = (ends[0], ends[1])
      let setSize: CInt = 1031  // F_SETPIPE_SZ, which the importer drops
      try #require(fcntl(writing, setSize, CInt(1 << 20)) >= 1 << 20)
    }

    deinit {
      close(reading)
      shut()
    }

    func write(_ text: String) throws {
      try #require(Glibc.write(writing, text, text.utf8.count) == text.utf8.count)
    }

    func shut() {
      if writing >= 0 { close(writing) }
      writing = -1
    }
  }

  @Test("at most 16 KiB are read at a time, however fast the program writes; the rest is read the next time")
  func flood() throws {
    let pipe = try Pipe()
    try pipe.write(String(repeating: "y\n", count: 400_000))
    var output = HandlerOutput()
    #expect(output.read(from: pipe.reading) == .more(Array(repeating: "y", count: 8192)))
    #expect(output.read(from: pipe.reading, atMost: 10) == .more(Array(repeating: "y", count: 5)))
    var queued: CInt = 0
    try #require(ioctl(pipe.reading, UInt(FIONREAD), &queued) == 0)
    #expect(queued == 800_000 - 16_384 - 10)
  }

  @Test("lines are logged whole, a long one is cut, and the last one needs no newline")
  func lines() throws {
    let pipe = try Pipe()
    var output = HandlerOutput()
    try pipe.write("one\n\ntw")
    #expect(output.read(from: pipe.reading) == .more(["one"]))
    try pipe.write("o\n" + String(repeating: "x", count: 3000) + "\nlast")
    #expect(output.read(from: pipe.reading) == .more(["two", String(repeating: "x", count: 1024)]))
    pipe.shut()
    #expect(output.read(from: pipe.reading) == .end([]))
    #expect(output.lastLine() == "last")
    #expect(output.lastLine() == nil)
  }

  @Test("its tail is the last two kilobytes of all of it")
  func tail() throws {
    let pipe = try Pipe()
    var output = HandlerOutput()
    try pipe.write(String(repeating: "a", count: 20_000) + "\n" + String(repeating: "b", count: 2000))
    while case .more(_) = output.read(from: pipe.reading) { pipe.shut() }
    #expect(output.tail == Array((String(repeating: "a", count: 47) + "\n" + String(repeating: "b", count: 2000)).utf8))
  }
}
