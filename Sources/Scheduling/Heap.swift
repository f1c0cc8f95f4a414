/// A binary min-heap: push and pop in O(log n), the smallest in O(1).
struct Heap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []

  var count: Int { elements.count }
  var first: Element? { elements.first }

  mutating func push(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func pop() -> Element? {
    guard let smallest = elements.first, let last = elements.popLast() else { return nil }
    if elements.isEmpty { return smallest }
    elements[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child >= elements.count { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      if elements[parent] <= elements[child] { break }
      elements.swapAt(parent, child)
      parent = child
    }
    return smallest
  }
}
