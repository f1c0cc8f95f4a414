import Foundation
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Delivery to applications")
  struct DeliveryTests {
    private func service() throws -> ServiceUnderTest {
      let service = try ServiceUnderTest(start: false)
      try service.configure("touchgate.conf", "[Gate]\nFirstScreenTimeout=0\n")
      try service.configure(
        "handlers.d/app.conf",
        "[Handler]\nDeliver=yes\nAllowUsers=root\nParam=page\nTimeout=3s\nAttempts=2\nBackoff=100ms\n")
      try service.start()
      return service
    }

    private func receiver(_ service: ServiceUnderTest) throws -> ReplyStream {
      try TouchgateConnection(path: "\(service.folder)/socket", timeout: .seconds(8)).deliveries(of: "app")
    }

    private func next(_ stream: ReplyStream) throws -> DeliveryReply {
      try JSONDecoder().decode(DeliveryReply.self, from: Data(try #require(try stream.nextLine())))
    }

    @Test("an update is offered in the first quiet moment, with parameters and payload; an acknowledgement applies it")
    func acknowledged() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service()
      try #require(try service.knows(screens: 1))
      let stream = try receiver(service)
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.connection.submit(
        SubmitRequest(handler: "app", parameters: ["page": "menu"], payload: "{}")
      ).id
      #expect(try service.update(id).blockers.map(\.code) == ["touched"])
      screen.up(slot: 0)
      let offer = try next(stream)
      #expect(offer.id == id && offer.parameters == ["page": "menu"] && offer.payload == "{}" && offer.attempt == 1)
      #expect(try service.update(id).state == "applying")
      #expect(try service.connection.acknowledge(id).state == "applied")
      #expect(throws: ClientError.self) { try service.connection.acknowledge(id) }
      let bytes: [UInt8] = [0, 255, 1]
      let binary = try service.connection.submit(
        SubmitRequest(handler: "app", payloadBase64: Data(bytes).base64EncodedString())
      ).id
      let second = try next(stream)
      #expect(
        second.id == binary && second.payload == nil && Data(base64Encoded: second.payloadBase64 ?? "") == Data(bytes))
      withExtendedLifetime(screen) {}
    }

    @Test("without a receiver an update waits as noReceiver and blocks no other; the next receiver gets it")
    func noReceiver() throws {
      let service = try service()
      let id = try service.submit("app")
      let other = try service.submit()
      #expect(try service.end(other)?.state == "applied")
      #expect(try service.update(id).blockers.map(\.code) == ["noReceiver"])
      let stream = try receiver(service)
      #expect(try next(stream).id == id)
      #expect(try service.connection.acknowledge(id).state == "applied")
    }

    @Test("a refused update is tried again after a backoff, up to Attempts= times; later=true is no failure")
    func refused() throws {
      let service = try service()
      let stream = try receiver(service)
      let id = try service.submit("app")
      #expect(try next(stream).attempt == 1)
      let later = try service.connection.refuse(delivery: id, reason: "busy", later: true)
      #expect(later.state == "waiting" && later.attempts == 0)
      #expect(later.blockers.contains { $0.code == "backoff" && $0.reason?.contains("busy") == true })
      #expect(try next(stream).attempt == 1)
      #expect(try service.connection.refuse(delivery: id, reason: "broken").state == "waiting")
      #expect(try next(stream).attempt == 2)
      let end = try service.connection.refuse(delivery: id, reason: "still broken")
      #expect(end.state == "failed" && end.result?.message.contains("still broken") == true)
    }

    @Test(
      "when a receiver disconnects, the next one gets the update at once; without one it waits, and no attempt is used")
    func vanishes() throws {
      let service = try service()
      var first: ReplyStream? = try receiver(service)
      let second = try receiver(service)
      let id = try service.submit("app")
      #expect(try next(#require(first)).id == id)
      first = nil
      #expect(try next(second).id == id)
      #expect(try service.connection.acknowledge(id).state == "applied")
      let again = try service.submit("app")
      #expect(try next(second).id == again)
      withExtendedLifetime(second) {}
    }

    @Test(
      "a receiver that never answers: the update fails at its time-out; one that disconnects: the update waits, no attempt is used"
    )
    func silent() throws {
      let service = try service()
      var stream: ReplyStream? = try receiver(service)
      let id = try service.submit("app")
      #expect(try next(#require(stream)).id == id)
      stream = nil
      // The end of a connection has no event.
      try service.catchUp()
      #expect(try service.update(id).state == "waiting")
      #expect(try service.update(id).attempts == 0)
      #expect(try service.update(id).blockers.map(\.code) == ["noReceiver"])
      let silent = try receiver(service)
      _ = try next(silent)
      _ = try next(silent)  // The second attempt, after the first has timed out.
      #expect(try service.end(id, within: .seconds(5))?.state == "failed")
      #expect(try service.update(id).result?.message.contains("not acknowledged within") == true)
    }

    @Test("an unknown handler, and one without Deliver=yes, are refused by name")
    func wrong() throws {
      let service = try service()
      let connection = TouchgateConnection(path: "\(service.folder)/socket", timeout: .seconds(2))
      #expect(throws: ClientError.self) { try connection.deliveries(of: "note") }
      #expect(throws: ClientError.self) { try connection.deliveries(of: "nobody") }
      #expect(throws: ClientError.self) { try connection.refuse(delivery: "nothing", reason: "") }
    }
  }
}
