import Racing
import Testing

@Suite("The output of libinput")
struct LibinputLogTests {
  private let log = """
    -event3   DEVICE_ADDED            Lobby                             seat0 default group1  cap:t  size 0x0mm ntouches 10
     event3   TOUCH_DOWN              +0.000s\t0 (0) 50.00/50.00 (50.00/50.00mm)
     event3   TOUCH_FRAME             +0.000s\t
     event3   TOUCH_DOWN              +0.010s\t1 (1) 50.00/50.00 (50.00/50.00mm)
     event4   TOUCH_DOWN              +0.010s\t0 (2) 50.00/50.00 (50.00/50.00mm)
     event3   TOUCH_UP                +0.020s\t0 (0)

    """

  @Test("touches of one device are counted, and those that were not lifted")
  func counts() {
    let read = LibinputLog(log, device: "event3")
    #expect(read.downs == 2 && read.ups == 1 && read.left == 1 && read.contradictions == 0)
  }

  @Test("an end of nothing and a second beginning are contradictions")
  func contradictions() {
    let more = log + " event3 TOUCH_UP +1s\t0 (0)\n event3 TOUCH_DOWN +1s\t1 (1) 1/1\n"
    #expect(LibinputLog(more, device: "event3").contradictions == 2)
  }
}
