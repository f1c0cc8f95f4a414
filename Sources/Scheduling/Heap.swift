/// A binary min-heap: push and pop in O(log n), the smallest in O(1).
struct Heap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []
  /// How many it contained when void elements were last removed.
  private var sizeAtCleaning = 0

  var count: Int { elements.count }
  var first: Element? { elements.first }

  mutating func push(_ element: Element) {
    elements.append(element)
    siftUp(from: elements.count - 1)
  }

  mutating func pop() -> Element? {
    guard let smallest = elements.first, let last = elements.popLast() else { return nil }
    if elements.isEmpty { return smallest }
    elements[0] = last
    siftDown(from: 0)
    return smallest
  }

  /// Removes void elements at the head, and all of them if the heap has doubled since that was last done: amortized,
  /// each element is visited once.
  mutating func tidy(isValid: (Element) -> Bool) {
    while let first = elements.first, !isValid(first) { _ = pop() }
    sizeAtCleaning = min(sizeAtCleaning, elements.count)
    guard elements.count > 2 * sizeAtCleaning + 64 else { return }
    elements = elements.filter(isValid)
    for index in (0..<(elements.count / 2)).reversed() { siftDown(from: index) }
    sizeAtCleaning = elements.count
  }

  private mutating func siftUp(from index: Int) {
    var child = index
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown(from index: Int) {
    var parent = index
    while true {
      var child = 2 * parent + 1
      if child >= elements.count { return }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      if elements[parent] <= elements[child] { return }
      elements.swapAt(parent, child)
      parent = child
    }
  }
}
