public import Timeline

/// Maps the pulses of patterns to the effects of one open device. Ids are reused, so the number of effects on the
/// device does not grow.
public struct EffectBank: Sendable {
  /// One upload to make (EVIOCSFF).
  public struct Upload: Equatable, Sendable {
    /// Index of the pulse in its pattern.
    public let index: Int
    public let effect: Effect
    /// The effect to overwrite; nil: a new one (-1).
    public let id: Int16?
  }

  /// One event of type EV_FF to write.
  public struct Event: Equatable, Sendable {
    public let code: UInt16
    public let value: Int32
  }

  private struct Place: Sendable {
    var id: Int16?
    var isFresh: Bool
  }

  private let table: PatternTable
  private let strength: Double
  private let motor: MotorDescription
  private var slots: Int
  private var places: [FeedbackKind: [Place]] = [:]
  /// Kinds in the order of their last use, the least recently used first.
  private var order: [FeedbackKind] = []
  /// Ids of effects that were freed by kinds that made room.
  private var spare: [Int16] = []
  private var sounding: [Int16: Instant] = [:]

  /// `strength`: 0 to 1, by which all pulses are scaled.
  public init(table: PatternTable, strength: Double, motor: MotorDescription) {
    self.table = table
    self.strength = strength
    self.motor = motor
    slots = motor.slots
  }

  /// Returns the uploads that are missing before this kind can be played. If the device is full, the least recently
  /// used kind makes room. A device with fewer slots than the pattern has pulses gets the first pulses only.
  public mutating func missing(_ kind: FeedbackKind) -> [Upload] {
    order.removeAll { $0 == kind }
    order.append(kind)
    let pulses = table[kind].pulses.prefix(slots)
    var mine = places[kind] ?? []
    while mine.count > pulses.count { if let id = mine.removeLast().id { spare.append(id) } }
    while mine.count < pulses.count {
      while spare.isEmpty && allocated(beside: kind) + mine.count >= slots {
        guard let oldest = order.first(where: { $0 != kind && places[$0] != nil }) else { break }
        spare += (places.removeValue(forKey: oldest) ?? []).compactMap(\.id)
      }
      spare.sort()
      mine.append(Place(id: spare.isEmpty ? nil : spare.removeFirst(), isFresh: false))
    }
    places[kind] = mine
    return zip(pulses, mine).enumerated().compactMap { index, pair in
      if pair.1.isFresh { return nil }
      return Upload(
        index: index, effect: Effect(pair.0, strength: strength, effectType: motor.effectType), id: pair.1.id)
    }
  }

  private func allocated(beside kind: FeedbackKind) -> Int {
    spare.count + places.filter { $0.key != kind }.reduce(0) { $0 + $1.value.count }
  }

  /// The kernel accepted the upload and returned this id.
  public mutating func uploaded(_ kind: FeedbackKind, _ upload: Upload, id: Int16) {
    places[kind]?[upload.index] = Place(id: id, isFresh: true)
  }

  /// The kernel no longer has the id (EINVAL, after a resume). The next `missing` requests a new one.
  public mutating func lost(_ kind: FeedbackKind, _ upload: Upload) {
    if let id = upload.id { sounding[id] = nil }
    places[kind]?[upload.index] = Place(id: nil, isFresh: false)
  }

  /// The device has no room for another effect, because other programs have effects there too. Returns false if there
  /// is no room for a single pulse.
  public mutating func noRoom(_ kind: FeedbackKind) -> Bool {
    places[kind]?.removeAll { $0.id == nil }
    slots = spare.count + places.values.reduce(0) { $0 + $1.count }
    return slots > 0
  }

  /// The machine has slept: uploaded effects may be lost.
  public mutating func doubtAll() {
    for kind in Array(places.keys) {
      for index in places[kind, default: []].indices { places[kind]?[index].isFresh = false }
    }
  }

  /// Returns events that stop the effects that may still play, because overlapping effects add up.
  public mutating func silence(_ now: Instant) -> [Event] {
    let ids = sounding.filter { $0.value > now }.keys.sorted()
    sounding = [:]
    return ids.map { Event(code: UInt16(bitPattern: $0), value: 0) }
  }

  /// Returns the events of one write: the gain, which another program may have changed, stops, and the whole pattern.
  public mutating func play(_ kind: FeedbackKind, _ now: Instant) -> [Event] {
    var events = motor.hasGain ? [Event(code: MotorDescription.Code.gain, value: 0xffff)] : []
    events += silence(now)
    for (place, pulse) in zip(places[kind] ?? [], table[kind].pulses) {
      guard let id = place.id else { continue }
      events.append(Event(code: UInt16(bitPattern: id), value: 1))
      // The kernel is usually one or two jiffies late.
      sounding[id] = now + .milliseconds(pulse.delay + pulse.length + 50)
    }
    return events
  }
}
