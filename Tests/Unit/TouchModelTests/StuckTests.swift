import Testing
import Timeline
import TouchModel

@Suite("Stuck contacts, and positions in the slot table")
struct StuckTests {
  /// Rechecks every ten seconds for this time.
  private func look(_ device: inout DeviceUnderTest, for time: Duration) -> [ContactChange] {
    let end = device.now + time
    var changes: [ContactChange] = []
    while device.now < end {
      device.pass(.seconds(10))
      changes += device.verify()
    }
    return changes
  }

  @Test("a contact that has not changed for ten minutes is ignored, and counted as stuck")
  func ignored() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .report)
    #expect(look(&device, for: .seconds(590)) == [])
    #expect(look(&device, for: .seconds(10)) == [.ended(finger(0, 5), .stuck, at: device.now)])
    #expect(device.tracker.verdict == .idle)
    #expect(device.tracker.stuckCount == 1 && device.tracker.stuckTotal == 1)
    #expect(look(&device, for: .seconds(3600)) == [], "nor does it come back by itself")
    #expect(device.tracker.stuckTotal == 1)
  }

  @Test("it counts again as soon as a frame or the table changes it")
  func counts() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .report)
    _ = look(&device, for: .seconds(600))
    #expect(device.tracker.wantsPositions)
    #expect(device.send(.x(9), .report) == [.began(finger(0, 5), at: device.now)])
    _ = look(&device, for: .seconds(620))
    device.sendUnseen(.x(10))
    #expect(device.verify().contains(.began(finger(0, 5), at: device.now)))
    _ = look(&device, for: .seconds(620))
    #expect(device.tracker.stuckTotal == 3)
    #expect(device.send(.id(-1), .touch(0), .report) == [])
    #expect(device.tracker.stuckCount == 0)
  }

  @Test("another finger on the same screen counts as usual")
  func beside() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .report)
    _ = look(&device, for: .seconds(600))
    #expect(device.send(.slot(1), .id(6), .report) == [.began(finger(1, 6), at: device.now)])
    #expect(device.verify() == [])
    #expect(device.send(.id(-1), .report) == [.ended(finger(1, 6), .lifted, at: device.now)])
    #expect(device.tracker.verdict == .idle)
  }

  @Test("with OnStuck=hold it still blocks, and is reported until it changes or ends")
  func held() {
    var device = DeviceUnderTest(onStuck: .hold)
    device.send(.slot(0), .id(5), .touch(1), .report)
    #expect(look(&device, for: .seconds(600)) == [.stuck(finger(0, 5), at: device.now)])
    #expect(device.tracker.verdict == .touched)
    #expect(device.tracker.contacts == [finger(0, 5)])
    #expect(device.tracker.doubtfulContacts == [])
    #expect(device.send(.x(9), .report) == [.unstuck(finger(0, 5), at: device.now)])
    _ = look(&device, for: .seconds(600))
    #expect(device.send(.id(-1), .touch(0), .report) == [.ended(finger(0, 5), .lifted, at: device.now)])
  }

  @Test("a finger that moves is never stuck, although the kernel masks its positions")
  func moving() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .report)
    for x in 0..<200 {
      device.pass(.seconds(10))
      device.sendUnseen(.x(Int32(x)))
      _ = device.verify()
      #expect(device.tracker.verdict == .touched)
    }
    #expect(device.tracker.stuckTotal == 0)
  }

  @Test("a single-touch contact can be stuck, too, and ends as usual")
  func single() {
    var device = DeviceUnderTest(.singleTouch)
    device.send(.touch(1), .report)
    #expect(look(&device, for: .seconds(600)) == [.ended(finger(0, nil), .stuck, at: device.now)])
    #expect(look(&device, for: .seconds(600)) == [])
    device.send(.touch(0), .report)
    #expect(device.send(.touch(1), .report) == [.began(finger(0, nil), at: device.now)])
  }

  @Test("a position that changed without a frame is activity: somebody taps under a foreign grab")
  func tapsUnseen() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .x(1), .report)
    device.send(.id(-1), .report)
    device.rest()
    device.pass(.seconds(1))
    #expect(device.verify() == [])
    device.sendUnseen(.id(6), .x(2), .id(-1))
    #expect(device.verify() == [.activity(at: device.now)])
    #expect(device.verify() == [], "once")
    #expect(device.tracker.drift == 0 && !device.tracker.mayBeGrabbed, "the frame may not have ended yet")
    #expect(device.tracker.secondReadDue == device.now + ContactTracker.secondRead)
    device.pass(.milliseconds(20))
    #expect(device.verify() == [])
    #expect(device.tracker.mayBeGrabbed && device.tracker.drift == 1)
    #expect(device.tracker.secondReadDue == nil)
  }

  @Test("positions that frames reported are not activity")
  func heard() {
    var device = DeviceUnderTest()
    device.verify()
    device.send(.slot(0), .id(5), .x(1), .report)
    device.send(.id(-1), .report)
    #expect(device.verify() == [])
    #expect(device.tracker.drift == 0 && !device.tracker.mayBeGrabbed)
  }

  @Test("after a loss the positions in the table are not activity")
  func afterLoss() {
    var device = DeviceUnderTest()
    device.verify()
    device.send(.slot(0), .id(5), .x(1), .dropped, .x(2), .id(-1), .report)
    #expect(device.verify() == [])
    #expect(device.tracker.drift == 0)
  }

  @Test("a device is at rest if nobody is on the glass or near it")
  func rest() {
    var device = DeviceUnderTest()
    #expect(device.tracker.isAtRest)
    device.send(.slot(0), .id(5), .distance(1), .report)
    #expect(!device.tracker.isAtRest)
    device.send(.id(-1), .report)
    #expect(device.tracker.isAtRest)
    device.send(.dropped)
    #expect(!device.tracker.isAtRest)
  }

  @Test("a type A finger that moves for half an hour is not stuck")
  func movingGroups() {
    var device = DeviceUnderTest(.typeA)
    device.send(.x(1), .group, .touch(1), .report)
    for x in 0..<(30 * 60 * 5) {
      device.pass(.milliseconds(200))
      #expect(device.send(.x(Int32(x)), .group, .report) == [])
      // The kernel stores no position of type A.
      if x % 5 == 0 { #expect(device.verify(KernelTable(touchDown: true)) == []) }
    }
  }

  @Test("a stuck type A contact does not come back at every recheck")
  func stuckGroups() {
    var device = DeviceUnderTest(.typeA)
    device.send(.x(1), .group, .touch(1), .report)
    var changes: [ContactChange] = []
    for _ in 0..<(1200 * 4) {
      device.pass(.milliseconds(250))
      changes += device.verify()
    }
    #expect(changes.count == 1)
    #expect(device.tracker.verdict == .idle)
  }

  @Test("a stuck contact that blocks becomes doubtful, too, when BTN_TOUCH goes up")
  func heldDoubt() {
    var device = DeviceUnderTest(onStuck: .hold)
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.pass(.seconds(600))
    device.verify()
    device.send(.touch(0), .report)
    device.pass(.seconds(2))
    #expect(device.tracker.verdict == .idle)
  }
}
