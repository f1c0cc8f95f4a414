import Haptics
import Testing
import Timeline

@Suite("Effects of a device")
struct EffectBankTests {
  let start = Instant(nanoseconds: 0)

  static func motor(slots: Int, _ codes: Set<UInt16> = [0x50, 0x60]) throws -> MotorDescription {
    try #require(MotorDescription(codes: codes, slots: slots))
  }

  /// A device of the kernel: gives the lowest free id, as input_ff_upload does.
  struct Kernel {
    var bank: EffectBank
    var effects: [Int16: Effect] = [:]
    var uploads = 0

    mutating func prepare(_ kind: FeedbackKind) {
      for upload in bank.missing(kind) {
        let id = upload.id ?? (0...).first { effects[$0] == nil } ?? -1
        effects[id] = upload.effect
        bank.uploaded(kind, upload, id: id)
        uploads += 1
      }
    }

    mutating func play(_ kind: FeedbackKind, _ now: Instant) -> [EffectBank.Event] {
      prepare(kind)
      return bank.play(kind, now)
    }
  }

  func kernel(slots: Int, strength: Double = 1, codes: Set<UInt16> = [0x50, 0x60]) throws -> Kernel {
    Kernel(bank: EffectBank(table: PatternTable(), strength: strength, motor: try Self.motor(slots: slots, codes)))
  }

  @Test("each pulse is one upload with its delay, and one write plays the whole pattern")
  func uploads() throws {
    for kind in FeedbackKind.allCases {
      var kernel = try kernel(slots: 16)
      let pulses = PatternTable()[kind].pulses
      let events = kernel.play(kind, start)
      let effects = kernel.effects.sorted { $0.key < $1.key }.map(\.value)
      #expect(effects.map { Int($0.length) } == pulses.map(\.length))
      #expect(effects.map { Int($0.delay) } == pulses.map(\.delay))
      #expect(effects.map { Int($0.magnitude) } == pulses.map { Int(($0.strength * 65535).rounded()) })
      #expect(events.map(\.code) == [0x60] + pulses.indices.map { UInt16($0) }, "gain first, then each pulse")
      #expect(events.map(\.value) == [0xffff] + pulses.map { _ in 1 })
    }
  }

  @Test("a thousand plays use one set of effects, uploaded once for each kind", arguments: [11, 16])
  func oneSet(_ slots: Int) throws {
    var kernel = try kernel(slots: slots)
    for number in 0..<1000 {
      _ = kernel.play(FeedbackKind.allCases[number % 7], start + .seconds(number))
    }
    #expect(kernel.uploads == 11)
    #expect(kernel.effects.keys.sorted() == Array(0..<11))
  }

  @Test("a device never gets more effects than it has slots, and plays the first pulses", arguments: 1...10)
  func fewSlots(_ slots: Int) throws {
    var kernel = try kernel(slots: slots)
    for number in 0..<1000 {
      let kind = FeedbackKind.allCases[(number * 5 + number / 7) % 7]
      let now = start + .seconds(number)
      let played = kernel.play(kind, now).filter { $0.code != 0x60 && $0.value == 1 }
      let pulses = PatternTable()[kind].pulses.prefix(slots)
      try #require(played.count == pulses.count)
      for (event, pulse) in zip(played, pulses) {
        let effect = try #require(kernel.effects[Int16(event.code)])
        try #require(Int(effect.delay) == pulse.delay && Int(effect.length) == pulse.length, "\(kind) at \(number)")
      }
      try #require(kernel.effects.count <= slots)
    }
  }

  @Test("effects that still play are stopped in the same write before the next ones start, also of the same kind")
  func overlapping() throws {
    var kernel = try kernel(slots: 16, codes: [0x50])
    kernel.prepare(.success)
    kernel.prepare(.heavy)
    #expect(kernel.play(.success, start).map(\.value) == [1, 1])
    let over = kernel.play(.heavy, start + .milliseconds(50))
    #expect(over.map { [Int($0.code), Int($0.value)] } == [[0, 0], [1, 0], [2, 1]])
    let again = kernel.play(.heavy, start + .milliseconds(60))
    #expect(again.map { [Int($0.code), Int($0.value)] } == [[2, 0], [2, 1]])
    #expect(kernel.play(.heavy, start + .seconds(1)).map(\.value) == [1])
  }

  @Test("strength scales all pulses, and none becomes 0, which a motor with only on and off treats as off")
  func strength() throws {
    var half = try kernel(slots: 16, strength: 0.5)
    half.prepare(.warning)
    #expect(half.effects.sorted { $0.key < $1.key }.map { Int($0.value.magnitude) } == [26214, 19661])
    var least = try kernel(slots: 16, strength: 0)
    least.prepare(.light)
    #expect(least.effects[0]?.magnitude == 1)
  }

  @Test("a device with only FF_PERIODIC gets a waveform that it supports, and at most 0x7fff")
  func periodic() throws {
    var kernel = try kernel(slots: 4, codes: [0x51, 0x58, 0x59])
    kernel.prepare(.heavy)
    #expect(kernel.effects[0]?.effectType == .periodic(waveform: 0x59))
    #expect(kernel.effects[0]?.magnitude == 0x7fff)
    #expect(MotorDescription(codes: [0x51, 0x5d], slots: 4) == nil, "FF_CUSTOM alone")
    // As the kernel describes them: FF_RUMBLE is made of FF_PERIODIC, or the other way round.
    #expect(MotorDescription(codes: [0x50, 0x51, 0x5a], slots: 16)?.effectType == .periodic(waveform: 0x5a))
    let all: Set<UInt16> = [0x50, 0x51, 0x58, 0x59, 0x5a, 0x60]
    #expect(MotorDescription(codes: all, slots: 16)?.effectType == .rumble)
    #expect(MotorDescription(codes: all, slots: 10)?.effectType == .periodic(waveform: 0x5a))
    #expect(MotorDescription(codes: [0x52], slots: 4) == nil)
  }

  @Test("an effect whose id the kernel no longer has is uploaded again, once")
  func staleID() throws {
    var kernel = try kernel(slots: 16)
    kernel.prepare(.success)
    kernel.bank.doubtAll()
    let doubted = kernel.bank.missing(.success)
    #expect(doubted.map(\.id) == [0, 1])
    kernel.bank.lost(.success, doubted[0])
    let again = kernel.bank.missing(.success)
    #expect(again.map(\.id) == [nil, 1])
  }

  @Test("if other programs use slots, the pattern is shortened to those that are left")
  func noRoom() throws {
    var kernel = try kernel(slots: 16)
    kernel.prepare(.light)
    let error = kernel.bank.missing(.error)
    kernel.bank.uploaded(.error, error[0], id: 1)
    let hasRoom = kernel.bank.noRoom(.error)
    #expect(hasRoom)
    // Two effects are to be had: the one of `light` makes room.
    let rest = kernel.bank.missing(.error)
    #expect(rest.map(\.id) == [0])
    kernel.bank.uploaded(.error, rest[0], id: 0)
    let played = kernel.bank.play(.error, start).filter { $0.value == 1 }
    #expect(played.map(\.code) == [1, 0])

    var full = try self.kernel(slots: 16)
    _ = full.bank.missing(.light)
    let isLeft = full.bank.noRoom(.light)
    #expect(!isLeft, "not even one")
  }

  @Test("the bits of sysfs are read as the kernel writes them")
  func sysfs() {
    #expect(MotorDescription.codes(sysfs: "107030000 0") == [0x50, 0x51, 0x58, 0x59, 0x5a, 0x60])
    #expect(MotorDescription.codes(sysfs: "0") == [])
    #expect(MotorDescription.codes(sysfs: "") == [])
    #expect(MotorDescription.codes(sysfs: "x 1") == [0])
  }
}
