public import Timeline

/// What one reader saw: whole contacts and half ones.
public struct Account: Equatable, Sendable {
  /// From `begin` on, up to but without `end`. Where this reader saw no end, it lasts for it until another begins in
  /// the slot, or forever.
  public struct Contact: Equatable, Sendable {
    public var slot: Int32
    public var begin: Instant
    public var end = Instant.distantFuture
    public var isWhole = false
  }

  public private(set) var contacts: [Contact] = []
  /// Ends of contacts that this reader never saw begin.
  public private(set) var endsWithoutBegin: [Instant] = []
  /// Keys and buttons that stay pressed for this reader.
  public private(set) var pressesWithoutRelease: [Instant] = []
  public private(set) var releasesWithoutPress: [Instant] = []
  /// If not 0, nothing is proven.
  public private(set) var losses = 0

  public var beginsWithoutEnd: [Instant] { contacts.filter { !$0.isWhole }.map(\.begin) }

  /// Of contacts and keys.
  public var halves: Int {
    beginsWithoutEnd.count + endsWithoutBegin.count + pressesWithoutRelease.count + releasesWithoutPress.count
  }

  public init(_ sightings: some Sequence<Sighting>) {
    var open: [Int32: Int] = [:]
    var pressed: [UInt16: Instant] = [:]
    for sighting in sightings {
      switch sighting.kind {
      case .begin(let slot, _):
        if let index = open.updateValue(contacts.count, forKey: slot) { contacts[index].end = sighting.time }
        contacts.append(Contact(slot: slot, begin: sighting.time))
      case .end(let slot):
        if let index = open.removeValue(forKey: slot) {
          contacts[index].end = sighting.time
          contacts[index].isWhole = true
        } else {
          endsWithoutBegin.append(sighting.time)
        }
      case .press(let code):
        if let earlier = pressed.updateValue(sighting.time, forKey: code) { pressesWithoutRelease.append(earlier) }
      case .release(let code):
        if pressed.removeValue(forKey: code) == nil { releasesWithoutPress.append(sighting.time) }
      case .loss:
        losses += 1
      }
    }
    pressesWithoutRelease += pressed.values.sorted()
  }

  /// For each of these instants inside a contact: the time since that contact began.
  public func hits(_ starts: [Instant]) -> [Duration] {
    var hits: [Duration] = []
    var coming = contacts[...]
    var begun: [Contact] = []
    for start in starts.sorted() {
      while let next = coming.first, next.begin <= start { begun.append(coming.removeFirst()) }
      begun.removeAll { $0.end <= start }
      if let longest = begun.map({ start - $0.begin }).max() { hits.append(longest) }
    }
    return hits
  }
}
