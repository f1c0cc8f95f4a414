import DeviceRules
import Testing

@Suite("IgnoreArea=")
struct ScreenAreaTests {
  @Test("two ranges in percent, scaled to the axes with their borders")
  func scaled() throws {
    let area = try #require(ScreenArea("0-5  50-100"))
    let ranges = area.scaled(x: 0...4095, y: -1000...1000)
    #expect(ranges.x == 0...204 && ranges.y == 0...1000)
  }

  @Test("axes of any extent", arguments: [Int32.min...Int32.max, 0...1, -1...0, Int32.max - 1...Int32.max])
  func extremes(_ axis: ClosedRange<Int32>) throws {
    let ranges = try #require(ScreenArea("0-100 99-100")).scaled(x: axis, y: axis)
    #expect(ranges.x == axis && ranges.y.upperBound == axis.upperBound)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "0-5", "0-5 0-100 1", "5-0 0-100", "5-5 0-100", "0-101 0-1", "-1-5 0-100", "0.5-1 0-1", "a-b 0-1",
      "0-5,0-100",
      "0- 0-100", "٠-٥ 0-100",
    ])
  func refused(_ text: String) { #expect(ScreenArea(text) == nil) }
}
