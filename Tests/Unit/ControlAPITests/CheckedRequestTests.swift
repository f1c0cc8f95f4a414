import Testing
import Timeline
import TouchgateAPI

@testable import ControlAPI

@Suite("Bodies of holds, turns, pauses, refusals and feedback")
struct CheckedRequestTests {
  private func code(_ body: () throws(CallRefusal) -> Void) -> String? {
    do throws(CallRefusal) {
      try body()
      return nil
    } catch {
      return "\(error.problem.code) \(error.problem.field ?? "-")"
    }
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  // MARK: Holds

  private func hold(_ text: String) throws(CallRefusal) -> CheckedHold {
    try CheckedHold(body: bytes(text), longest: .seconds(600))
  }

  @Test("a hold needs a reason of 1 to 200 bytes and nothing else")
  func hold() throws {
    let least = try hold(#"{"reason":"x"}"#)
    #expect(least.reason == "x" && least.screen == nil && least.ttl == nil)
    let all = try hold(#"{"reason":"on stage","screen":"lobby","ttl":"10min"}"#)
    #expect(all.reason == "on stage" && all.screen == "lobby" && all.ttl == .seconds(600))
    for reason in ["", String(repeating: "x", count: 201), String(repeating: "ü", count: 101)] {
      #expect(code { () throws(CallRefusal) in _ = try hold(#"{"reason":"\#(reason)"}"#) } == "badReason reason")
    }
    #expect(try hold(#"{"reason":"\#(String(repeating: "ü", count: 100))"}"#).reason.utf8.count == 200)
    #expect(code { () throws(CallRefusal) in _ = try hold("{}") } == "missingField reason")
    #expect(code { () throws(CallRefusal) in _ = try hold("") } == "malformedJSON -")
    #expect(code { () throws(CallRefusal) in _ = try hold(#"{"reason":"x","until":"1h"}"#) } == "unknownField until")
  }

  @Test("a ttl is a time span of more than 0 and at most MaxHold=")
  func ttl() throws {
    for text in ["", "0", "0s", "soon", "-1s", "601s", "10min 1ms", "infinity", String(repeating: "1s", count: 51)] {
      let body = #"{"reason":"x","ttl":"\#(text)"}"#
      #expect(code { () throws(CallRefusal) in _ = try hold(body) } == "badTime ttl", "\(text)")
    }
    #expect(try hold(#"{"reason":"x","ttl":"1us"}"#).ttl == .microseconds(1))
  }

  // MARK: Turns

  private func turn(_ text: String) throws(CallRefusal) -> CheckedTurn {
    try CheckedTurn(body: bytes(text), guardKinds: ["grab", "verify", "none"], longest: .seconds(3600))
  }

  @Test("a turn without a body has the defaults")
  func emptyTurn() throws {
    for text in ["", "{}", #"{"guard":null}"#] {
      let turn = try turn(text)
      #expect(turn.quietPeriod == nil && turn.screen == nil && turn.guardKind == nil)
    }
  }

  @Test("a turn has a guard of the known kinds, a quiet period of at most 1 h and a reason of at most 200 bytes")
  func turn() throws {
    let all = try turn(#"{"quietPeriod":"30s","screen":"lobby","guard":"grab","reason":"reboot"}"#)
    #expect(all.quietPeriod == .seconds(30) && all.screen == "lobby" && all.guardKind == "grab")
    #expect(code { () throws(CallRefusal) in _ = try turn(#"{"guard":"Grab"}"#) } == "badGuard guard")
    #expect(code { () throws(CallRefusal) in _ = try turn(#"{"quietPeriod":"61min"}"#) } == "badTime quietPeriod")
    let long = String(repeating: "x", count: 201)
    #expect(code { () throws(CallRefusal) in _ = try turn(#"{"reason":"\#(long)"}"#) } == "badReason reason")
    #expect(code { () throws(CallRefusal) in _ = try turn(#"{"handler":"x"}"#) } == "unknownField handler")
  }

  // MARK: Pauses

  @Test("a pause has a reason of at most 200 bytes, or none")
  func pause() throws {
    for text in ["", "{}", #"{"reason":null}"#, #"{"reason":""}"#] {
      #expect(try CheckedPause(body: bytes(text)).reason == "")
    }
    let full = String(repeating: "x", count: 200)
    #expect(try CheckedPause(body: bytes(#"{"reason":"\#(full)"}"#)).reason == full)
    let long = bytes(#"{"reason":"\#(full)x"}"#)
    #expect(code { () throws(CallRefusal) in _ = try CheckedPause(body: long) } == "badReason reason")
  }

  // MARK: Refused deliveries

  @Test("a refused delivery has a reason of at most 1000 bytes, or none, and may ask for a later try")
  func nack() throws {
    let none = try CheckedNack(body: [])
    #expect(none.reason == "" && !none.isLater)
    let later = try CheckedNack(body: bytes(#"{"reason":"a film is playing","later":true}"#))
    #expect(later.reason == "a film is playing" && later.isLater)
    let full = String(repeating: "x", count: 1000)
    #expect(try CheckedNack(body: bytes(#"{"reason":"\#(full)"}"#)).reason == full)
    let long = bytes(#"{"reason":"\#(full)x"}"#)
    #expect(code { () throws(CallRefusal) in _ = try CheckedNack(body: long) } == "badReason reason")
    let number = bytes(#"{"later":1}"#)
    let refusal = #expect(throws: CallRefusal.self) { try CheckedNack(body: number) }
    #expect(refusal?.problem.message == "'later' must be true or false")
  }

  // MARK: Feedback

  @Test("feedback is of a known kind")
  func feedback() throws {
    let kinds = ["success", "error"]
    #expect(try CheckedFeedback(body: bytes(#"{"kind":"error"}"#), kinds: kinds).kind == "error")
    for (text, expected) in [
      (#"{"kind":"Error"}"#, "unknownKind kind"), (#"{"kind":""}"#, "unknownKind kind"), ("{}", "missingField kind"),
      ("", "malformedJSON -"),
    ] {
      let body = bytes(text)
      #expect(code { () throws(CallRefusal) in _ = try CheckedFeedback(body: body, kinds: kinds) } == expected)
    }
  }
}
