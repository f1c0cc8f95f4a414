import ControlAPI
import Scheduling
import Testing

@Suite("The warning about touches that starve an update")
struct StarvationWarningTests {
  private func text(_ touched: Duration, _ settling: Duration, _ touches: [String: Int] = ["Lobby": 277]) throws
    -> String?
  {
    var blocked = BlockedTimes()
    blocked.add(touched, .touched)
    blocked.add(settling, .settling)
    return StarvationWarning.text(try #require(UpdateID("page")), blocked: blocked, touches: touches)
  }

  @Test("a ghost tap each 13 s with a quiet period of 15 s is reported after an hour, with the remedy")
  func ghost() throws {
    #expect(try text(.seconds(60), .seconds(3539)) == nil)
    let warning = try #require(try text(.seconds(60), .seconds(3540)))
    for part in ["page", "1 h", "screen 'Lobby': 277", "IgnoreArea=", "QuietPeriod=", "deadline"] {
      #expect(warning.contains(part), "\(part): \(warning)")
    }
  }

  @Test("what else blocks it does not count, and a screen without contacts is not named")
  func other() throws {
    var blocked = BlockedTimes()
    blocked.add(.seconds(9000), .paused)
    #expect(StarvationWarning.text(try #require(UpdateID("page")), blocked: blocked, touches: [:]) == nil)
    #expect(try #require(try text(.seconds(3600), .zero, ["Till": 0])).contains("Till") == false)
  }
}
