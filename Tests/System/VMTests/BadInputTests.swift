import Foundation
import Testing
import TouchgateAPI
import TouchgateClient

extension VMTests {
  @Suite("Bad input")
  struct BadInputTests {
    @Test("every bad request gets a JSON error that names the field, and the service still works")
    func requests() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      let cases: [(body: String, status: Int, code: String, field: String?)] = [
        (#"{"handler":"nope"}"#, 400, "unknownHandler", "handler"),
        (#"{"handler":7}"#, 400, "wrongType", "handler"),
        (#"{"handler":"note","parameters":{"a":1}}"#, 400, "wrongType", "parameters.a"),
        (#"{"handler":"note","parameters":{"a":"1"}}"#, 400, "badParameter", "parameters.a"),
        (#"{"handler":"note","colour":"red"}"#, 400, "unknownField", "colour"),
        (#"{}"#, 400, "missingField", "handler"),
        (#"[]"#, 400, "wrongType", nil),
        (#"{"handler":"note""#, 400, "malformedJSON", nil),
        ("", 400, "malformedJSON", nil),
        (#"{"handler":"note","id":"../x"}"#, 400, "badID", "id"),
        (#"{"handler":"note","payload":"a","payloadBase64":"YQ=="}"#, 400, "conflictingFields", "payloadBase64"),
        (#"{"handler":"note","payloadBase64":"*"}"#, 400, "badBase64", "payloadBase64"),
        (
          #"{"handler":"note","payload":""# + String(repeating: "x", count: 1_048_577) + #""}"#, 413, "payloadTooLarge",
          "payload"
        ),
        (String(repeating: "x", count: 2_200_000), 413, "bodyTooLarge", nil),
      ]
      for item in cases {
        let (status, body) = try service.connection.send(
          method: "POST", path: "/v1/updates", body: Array(item.body.utf8))
        let problem = try JSONDecoder().decode(ProblemReply.self, from: Data(body)).error
        #expect(status == item.status, "\(item.body.prefix(60)): \(problem)")
        #expect(problem.code == item.code)
        #expect(problem.field == item.field)
        #expect(!problem.message.isEmpty)
      }
      #expect(try service.status().updates["waiting"] == 0)
      let id = try service.submit()
      #expect(eventually { service.isApplied(id) })
    }

    @Test("a client that disconnects in mid-request leaves nothing behind")
    func vanishing() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      for _ in 0..<20 {
        _ = try Run(
          "/bin/sh",
          [
            "-c",
            #"printf 'POST /v1/updates HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"hand' | timeout 0.1 socat -u - UNIX-CONNECT:\#(service.folder)/socket; true"#,
          ])
      }
      #expect(try service.status().updates["waiting"] == 0)
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.pid)/fd").count
      #expect(descriptors < 30)
    }

    @Test("the same id with the same content is the same update; with other content it is a conflict")
    func sameID() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      let first = try service.submit(id: "content-42")
      #expect(eventually { service.isApplied(first) })
      #expect(try service.submit(id: "content-42") == "content-42")
      #expect(throws: ClientError.self) {
        try service.connection.submit(SubmitRequest(handler: "note", payload: "other", id: "content-42"))
      }
      #expect(service.applied == ["content-42"])
    }

    @Test("the command's exit status says: done, usage error, no such id, service not running, permission denied")
    func exitStatuses() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      let socket = ["--socket", "\(service.folder)/socket"]
      let submitted = try Run(touchgate, ["submit", "note"] + socket)
      #expect(submitted.status == 0)
      let id = submitted.output.trimmingCharacters(in: .newlines)
      #expect(eventually { service.isApplied(id) })
      #expect(try Run(touchgate, ["status"] + socket).status == 0)
      #expect(try Run(touchgate, ["list"] + socket).output.contains(id))
      #expect(try Run(touchgate, ["show", id, "--json"] + socket).output.contains(#""applied""#))
      #expect(try Run(touchgate, ["show", "nope"] + socket).status == 4)
      #expect(try Run(touchgate, ["frobnicate"] + socket).status == 2)
      #expect(try Run(touchgate, ["submit", "nope"] + socket).errors.contains("unknown handler 'nope'"))

      try #require(chmod("\(service.folder)/socket", 0o600) == 0)
      let refused = try Run("/usr/bin/setpriv", ["--reuid=65534", "--clear-groups", touchgate, "list"] + socket)
      #expect(refused.status == 77)
      #expect(refused.errors.contains("\(service.folder)/socket") && refused.errors.contains("group touchgate"))

      service.kill(SIGTERM)
      let down = try Run(touchgate, ["status"] + socket)
      #expect(down.status == 3)
      #expect(down.output.contains("not running"))
      #expect(try Run(touchgate, ["list"] + socket).status == 69)
    }

    @Test(
      "a configuration error prevents the start and reports file, line and reason, status 78; a missing program is a warning"
    )
    func configuration() throws {
      let service = try ServiceUnderTest(start: false)
      try service.configure("touchgate.conf", "[Gate]\nQuietPeriod=soon\nQuitePeriod=1s\n")
      for arguments in [["--check-config"], ["--state", "\(service.folder)/state"]] {
        let run = try Run(touchgated, ["--config", service.folder] + arguments)
        #expect(run.status == 78)
        #expect(run.errors.contains("\(service.folder)/touchgate.conf:2: "))
        #expect(run.errors.contains("\(service.folder)/touchgate.conf:3: "), "all errors at once: \(run.errors)")
      }
      try service.configure("touchgate.conf", "[Gate]\nQuietPeriod=1s\n")
      #expect(try Run(touchgated, ["--config", service.folder, "--check-config"]).status == 0)
      try service.handler("gone", exec: "/no/such/program")
      let missing = try Run(touchgated, ["--config", service.folder, "--check-config"])
      #expect(missing.status == 0)
      #expect(
        missing.errors.contains("warning: ") && missing.errors.contains("/no/such/program")
          && missing.errors.contains("\(service.folder)/handlers.d/gone.conf")
      )
    }
  }
}
