import Seeded
import Synchronization
import Testing
import Timeline

@testable import Scheduling

/// Counts, not times: no test fails because the machine is busy.
@Suite("What it costs")
struct CostTests {
  private static let many = 100_000
  /// Twice the depth of a heap of so many, and some: what one push or pop may compare.
  private static let log = 40

  private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
  }

  /// A place in a queue that counts how often it is compared.
  private struct Counted: Comparable, Sendable {
    let value: Int
    let counter: Counter

    static func < (a: Counted, b: Counted) -> Bool {
      a.counter.add()
      return a.value < b.value
    }
    static func == (a: Counted, b: Counted) -> Bool { a.value == b.value }
  }

  @Test("a heap of 100,000 comes out in order, and each push and each pop compares a few dozen at most")
  func heap() {
    var dice = Dice(seed: 1)
    let counter = Counter()
    var heap = Heap<Counted>()
    let values = (0..<Self.many).map { _ in dice.roll(1000) }
    for value in values {
      let before = counter.value
      heap.push(Counted(value: value, counter: counter))
      if counter.value - before > Self.log { Issue.record("a push compared \(counter.value - before)") }
    }
    var popped: [Int] = []
    while true {
      let before = counter.value
      guard let next = heap.pop() else { break }
      popped.append(next.value)
      if counter.value - before > Self.log { Issue.record("a pop compared \(counter.value - before)") }
    }
    #expect(popped == values.sorted())
    #expect(heap.first == nil && heap.count == 0)
  }

  @Test("removals from a heap of 100,000 are cleaned up without a scan of the whole heap each time")
  func tidy() {
    let counter = Counter()
    var heap = Heap<Counted>()
    for value in 0..<Self.many { heap.push(Counted(value: value, counter: counter)) }
    var looks = 0
    for value in Self.many..<(2 * Self.many) {
      heap.push(Counted(value: value, counter: counter))
      heap.tidy {
        looks += 1
        return $0.value < Self.many
      }
      if heap.count > 2 * Self.many + 65 { Issue.record("\(heap.count) are kept") }
    }
    #expect(looks < 5 * Self.many)
    #expect(counter.value < Self.many * Self.log)
  }

  @Test("a heap that was full once keeps no more than another afterwards")
  func shrunk() {
    let counter = Counter()
    var heap = Heap<Counted>()
    for value in 0..<Self.many { heap.push(Counted(value: value, counter: counter)) }
    heap.tidy { _ in true }
    heap.tidy { $0.value >= Self.many - 10 }
    #expect(heap.count == 10)
    for value in 0..<Self.many {
      heap.push(Counted(value: Self.many + value, counter: counter))
      heap.tidy { $0.value < Self.many }
    }
    #expect(heap.count < 200)
  }

  // MARK: The line

  private static func update(_ number: Int, deadline: Moment? = nil) -> Update {
    Update(
      id: id("u\(number)"), handler: "page", parameters: [:], createdAt: someDay,
      submitter: Submitter(uid: UInt32(number % 7), pid: 1), sequence: Int64(number), key: "k\(number)",
      priority: number % 3, deadline: deadline)
  }

  /// How many elements each heap, and each dictionary, of the line holds.
  private static func sizes(_ line: WaitingLine) -> [String: Int] {
    var sizes: [String: Int] = [:]
    for child in Mirror(reflecting: line).children {
      let mirror = Mirror(reflecting: child.value)
      // Times have a heap for each clock.
      for heap in mirror.children where ["wall", "steady"].contains(heap.label) {
        let elements = Mirror(reflecting: heap.value).children.first { $0.label == "elements" }
        sizes["\(child.label ?? "") \(heap.label ?? "")"] = elements.map { Mirror(reflecting: $0.value).children.count }
      }
      let elements = mirror.children.first { $0.label == "elements" }.map { Mirror(reflecting: $0.value) }
      if mirror.displayStyle == .dictionary || elements != nil {
        sizes[child.label ?? ""] = (elements ?? mirror).children.count
      }
    }
    return sizes
  }

  @Test("100,000 that came and were cancelled leave nothing behind, wherever they stood")
  func cancellations() {
    var line = WaitingLine()
    line.insert(.update(Self.update(0, deadline: .wall(wall(0)))), nil, for: .turn(quiet: .zero))
    let far = Moment.wall(wall(1000))
    for number in 1...Self.many {
      let new = Self.update(number, deadline: number % 2 == 0 ? far : nil)
      let reasons: [WaitingLine.Reason] = [
        .turn(quiet: .milliseconds(number % 1000)), .notBefore(far), .backoff(until: at(1000)), .nothing,
        .parked(.rebootLoop),
      ]
      line.insert(.update(new), nil, for: reasons[number % reasons.count])
      line.remove(.update(new.id))
    }
    let sizes = Self.sizes(line)
    let known = [
      "members", "lanes", "forced", "backoffs", "notBefores wall", "deadlines wall", "deadlines steady", "ages",
      "byUser", "byKey",
    ]
    #expect(Set(sizes.keys).isSuperset(of: known))
    for (name, size) in sizes { #expect(size <= 100, "\(name)") }
    #expect(line.count == 1 && line.load(of: 0).count == 1 && line.oldest == id("u0"))
    #expect(line.next(at: at(0), opens: { _ in at(0) }) == .update(id("u0")))
  }

  @Test("of 100,000 in one lane the right one is next, also after most of the others were cancelled")
  func oneLane() {
    var line = WaitingLine()
    for number in 1...Self.many {
      line.insert(.update(Self.update(number)), nil, for: .turn(quiet: .zero))
    }
    for number in 1...Self.many where number % 1000 != 2 { line.remove(.update(id("u\(number)"))) }
    var order: [Int] = []
    while let next = line.next(at: at(0), opens: { _ in at(0) }) {
      order.append(Int(next.text.dropFirst()) ?? 0)
      line.remove(next)
    }
    let left = (1...Self.many).filter { $0 % 1000 == 2 }
    #expect(order == left.sorted { (-($0 % 3), $0) < (-($1 % 3), $1) })
    for (name, size) in Self.sizes(line) { #expect(size == 0, "\(name)") }
  }
}
