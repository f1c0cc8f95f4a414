import HTTPTypes
import Testing
import TouchgateAPI

@testable import ControlAPI

@Suite("Values in queries")
struct QueryTests {
  private func query(_ items: KeyValuePairs<String, String>) -> Query {
    Query(items.map { QueryItem(name: $0.key, value: $0.value) })
  }

  private func problem(_ body: () throws(CallRefusal) -> Void) -> String? {
    do throws(CallRefusal) {
      try body()
      return nil
    } catch {
      return "\(error.problem.code) \(error.problem.field ?? "-")"
    }
  }

  @Test("a flag is 0 or 1, and 0 if it is absent")
  func flags() throws {
    #expect(try query(["dryRun": "1"]).flag("dryRun"))
    #expect(try !query(["dryRun": "0"]).flag("dryRun"))
    #expect(try !query([:]).flag("dryRun"))
    for text in ["", "2", "yes", "true", " 1"] {
      #expect(problem { () throws(CallRefusal) in _ = try query(["f": text]).flag("f") } == "badValue f")
    }
  }

  @Test("a time span is at most its limit, and nil if it is absent")
  func spans() throws {
    #expect(try query([:]).span("wait", atMost: .seconds(60)) == nil)
    #expect(try query(["wait": "1min"]).span("wait", atMost: .seconds(60)) == .seconds(60))
    #expect(try query(["wait": "0"]).span("wait", atMost: .seconds(60)) == .zero)
    for text in ["", "61s", "1min 1us", "infinity", "-1s", "soon", String(repeating: "0", count: 101)] {
      let query = query(["wait": text])
      let found = problem { () throws(CallRefusal) in _ = try query.span("wait", atMost: .seconds(60)) }
      #expect(found == "badTime wait", "\(text)")
    }
  }

  @Test("a limit is from 1 to 1000, and 100 if it is absent")
  func limits() throws {
    #expect(try query([:]).limit() == 100)
    #expect(try query(["limit": "1"]).limit() == 1 && query(["limit": "1000"]).limit() == 1000)
    for text in ["", "0", "1001", "-1", "1.5", "x", "99999999999999999999"] {
      let query = query(["limit": text])
      #expect(problem { () throws(CallRefusal) in _ = try query.limit() } == "badLimit limit", "\(text)")
    }
  }

  @Test("since is the number of an event, and its successor is a number too")
  func since() throws {
    #expect(try query([:]).since() == nil)
    #expect(try query(["since": "0"]).since() == 0)
    #expect(try query(["since": "9223372036854775806"]).since() == .max - 1)
    for text in ["", "-1", "9223372036854775807", "9223372036854775808", "x"] {
      let query = query(["since": text])
      #expect(problem { () throws(CallRefusal) in _ = try query.since() } == "badSince since", "\(text)")
    }
  }

  @Test("states are known ones, in any number")
  func states() throws {
    let known: Set = ["waiting", "applied"]
    #expect(try query([:]).states(known: known) == nil)
    #expect(try query(["state": "waiting", "state": "applied", "state": "waiting"]).states(known: known) == known)
    let query = query(["state": "waiting", "state": "lost"])
    #expect(problem { () throws(CallRefusal) in _ = try query.states(known: known) } == "badState state")
  }
}
