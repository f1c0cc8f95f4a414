import Foundation
import Testing
import TouchgateAPI
import TouchgateClient

extension VMTests {
  /// `daemon` (1), `bin` (2), `games` (5) and `nobody` are users of every Debian; 7 and 12 are groups of it.
  @Suite("Rights")
  struct RightsTests {
    /// Sends a request as another user: the status and the error code.
    private func call(
      _ service: ServiceUnderTest, as user: String, groups: String? = nil, _ method: String, _ path: String,
      _ body: String? = nil
    ) throws -> String {
      let script = """
        import http.client, json, socket, sys
        connection = http.client.HTTPConnection("localhost", timeout=10)
        connection.sock = socket.socket(socket.AF_UNIX)
        try:
            connection.sock.connect(sys.argv[1])
        except PermissionError:
            print("closed")
            sys.exit()
        connection.request(sys.argv[2], sys.argv[3], sys.argv[4] or None)
        answer = connection.getresponse()
        if answer.getheader("Content-Type") == "application/x-ndjson":
            print(answer.status, "open")
        else:
            print(answer.status, json.loads(answer.read()).get("error", {}).get("code", ""))
        """
      let run = try Run(
        "/usr/bin/setpriv",
        [
          "--reuid=\(user)", "--regid=65534", groups.map { "--groups=\($0)" } ?? "--clear-groups", "python3", "-c",
          script,
          "\(service.folder)/socket", method, path, body ?? "",
        ])
      #expect(run.errors == "", "\(run.errors)")
      return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("only members of the socket's group can open it; a supplementary group is enough")
    func group() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      let socket = "\(service.folder)/socket"
      var information = stat()
      try #require(stat(socket, &information) == 0 && information.st_mode & 0o777 == 0o660)
      try #require(chown(socket, 0, 12) == 0)
      #expect(try call(service, as: "nobody", "GET", "/v1") == "closed")
      #expect(try call(service, as: "nobody", groups: "7,12", "GET", "/v1") == "200")
    }

    @Test("AllowUsers= and AllowGroups= open one handler and no other; Admin= opens all")
    func handlers() throws {
      let service = try ServiceUnderTest(start: false)
      try service.configure("touchgate.conf", "[Gate]\nFirstScreenTimeout=0\n[Rights]\nAdmin=games\n")
      try service.handler("private", exec: "/bin/true", more: "AllowUsers=daemon\nAllowGroups=lp")
      try service.handler("root", exec: "/bin/true", more: "AllowUsers=root")
      try service.start()
      chmod("\(service.folder)/socket", 0o666)
      let submit = { (user: String, groups: String?, handler: String) in
        try call(service, as: user, groups: groups, "POST", "/v1/updates", #"{"handler":"\#(handler)"}"#)
      }
      #expect(try submit("daemon", nil, "private") == "202")
      #expect(try submit("daemon", nil, "root") == "403 notPermitted")
      #expect(try submit("daemon", nil, "note") == "202")
      #expect(try submit("nobody", nil, "private") == "403 notPermitted")
      #expect(try submit("nobody", "7", "private") == "202", "lp is group 7")
      #expect(try submit("nobody", "7,12", "root") == "403 notPermitted")
      #expect(try submit("games", nil, "root") == "202", "Admin= allows it")
      #expect(try submit("root", nil, "private") == "202", "root is allowed")
    }

    @Test(
      "Force=, Hold= and Admin= allow their calls to those they name and to root; others get 403 with the right's name")
    func rights() throws {
      let service = try ServiceUnderTest(start: false)
      try service.configure(
        "touchgate.conf", "[Gate]\nFirstScreenTimeout=0\n[Rights]\nForce=daemon @lp\nHold=bin\nAdmin=games\n")
      try service.start()
      chmod("\(service.folder)/socket", 0o666)
      // Nothing is applied, so that it can be forced, held and taken from others.
      #expect(try call(service, as: "games", "POST", "/v1/pause", #"{"reason":"x"}"#) == "200")
      func forced(_ user: String, _ groups: String? = nil) throws -> String {
        let id = try service.submit()
        return try call(service, as: user, groups: groups, "POST", "/v1/updates/\(id)/force")
      }
      #expect(try forced("daemon") == "200")
      #expect(try forced("nobody", "7") == "200")
      for user in ["nobody", "bin", "games"] { #expect(try forced(user) == "403 notPermitted", "\(user)") }
      #expect(try forced("root") == "200")
      let late = #"{"handler":"note","deadline":"1h","onDeadline":"force"}"#
      #expect(try call(service, as: "bin", "POST", "/v1/updates", late) == "403 notPermitted")
      #expect(try call(service, as: "daemon", "POST", "/v1/updates", late) == "202")

      let hold = #"{"reason":"x","ttl":"1h"}"#
      for user in ["nobody", "daemon", "games"] {
        #expect(try call(service, as: user, "POST", "/v1/holds", hold) == "403 notPermitted", "\(user)")
        #expect(try call(service, as: user, "POST", "/v1/holds", #"{"reason":"x"}"#) == "403 notPermitted", "\(user)")
        #expect(try call(service, as: user, "POST", "/v1/turns?timeout=0") == "403 notPermitted", "\(user)")
      }
      #expect(try call(service, as: "bin", "POST", "/v1/holds", hold) == "201")
      #expect(try call(service, as: "bin", "POST", "/v1/holds", #"{"reason":"x"}"#) == "200 open")
      #expect(try call(service, as: "bin", "POST", "/v1/turns?timeout=0") == "408 notQuiet")
      let held = try #require(try service.status().holds?.first?.id)
      #expect(try call(service, as: "daemon", "DELETE", "/v1/holds/\(held)") == "403 notYours")

      let id = try service.submit()
      for path in ["apply", "retry"] {
        #expect(try call(service, as: "daemon", "POST", "/v1/updates/\(id)/\(path)") == "403 notYours", "\(path)")
      }
      #expect(try call(service, as: "daemon", "GET", "/v1/updates/\(id)/payload") == "403 notYours")
      #expect(try call(service, as: "daemon", "GET", "/v1/updates/\(id)/parameters") == "403 notYours")
      #expect(try call(service, as: "daemon", "DELETE", "/v1/updates/\(id)") == "403 notYours")
      #expect(try call(service, as: "daemon", "GET", "/v1/updates/\(id)") == "200", "everybody is allowed to read")
      #expect(try call(service, as: "daemon", "POST", "/v1/resume") == "403 notPermitted")
      #expect(try call(service, as: "daemon", "POST", "/v1/pause") == "403 notPermitted")
      #expect(try call(service, as: "games", "DELETE", "/v1/updates/\(id)") == "200", "Admin= allows it")
      #expect(try call(service, as: "games", "DELETE", "/v1/holds/\(held)") == "200", "Admin= allows it")
      #expect(try call(service, as: "games", "POST", "/v1/resume") == "200")
    }

    @Test("real users with the same ids and keys: two updates; nobody learns, supersedes, cancels or ends another's")
    func users() throws {
      let service = try ServiceUnderTest(quiet: "1h", gate: "FirstScreenTimeout=0\n[Rights]\nAdmin=games")
      chmod("\(service.folder)/socket", 0o666)
      let update = #"{"handler":"note","clientId":"fw-12","key":"k"}"#
      for user in ["daemon", "bin"] {
        #expect(try call(service, as: user, "POST", "/v1/updates", update) == "202")
        #expect(try call(service, as: user, "GET", "/v1/updates/fw-12") == "200")
      }
      #expect(try service.status().updates["waiting"] == 2)
      let other = #"{"handler":"note","clientId":"fw-12","key":"k","priority":1}"#
      #expect(try call(service, as: "bin", "POST", "/v1/updates", other) == "409 idInUse", "its own")
      #expect(try call(service, as: "nobody", "POST", "/v1/updates", other) == "202", "whatever others have")
      #expect(try call(service, as: "games", "GET", "/v1/updates/fw-12") == "409 ambiguousID")
      #expect(try call(service, as: "games", "DELETE", "/v1/updates/fw-12?user=2") == "200")
      #expect(try call(service, as: "daemon", "DELETE", "/v1/updates/fw-12?user=65534") == "403 notPermitted")
      #expect(try service.status().updates["cancelled"] == 1 && service.status().updates["waiting"] == 2)

      let hold = try service.connection.send(
        method: "POST", path: "/v1/holds", body: Array(#"{"reason":"x","ttl":"1h"}"#.utf8))
      let id = try JSONDecoder().decode(HoldReply.self, from: Data(hold.body)).id
      let taken = #"{"handler":"note","clientId":"\#(id)"}"#
      #expect(try call(service, as: "daemon", "POST", "/v1/updates", taken) == "409 idInUse")
      #expect(
        try call(service, as: "daemon", "POST", "/v1/updates", #"{"handler":"note","id":"--help"}"#) == "400 badID")
      #expect(
        try call(service, as: "daemon", "POST", "/v1/turns?timeout=0", #"{"guard":"grab"}"#) == "403 notPermitted")
      #expect(try call(service, as: "daemon", "POST", "/v1/turns?timeout=0") == "408 notQuiet")
    }

    @Test("AllowUsers= that a reload narrows ends what waits, by the user who submitted it")
    func narrowed() throws {
      let service = try ServiceUnderTest(start: false)
      try service.configure("touchgate.conf", "[Gate]\nFirstScreenTimeout=0\n[Rights]\nAdmin=games\n")
      try service.handler("private", exec: "/bin/true", more: "AllowUsers=daemon\nAllowGroups=lp\nAttempts=5")
      try service.start()
      chmod("\(service.folder)/socket", 0o666)
      #expect(try call(service, as: "games", "POST", "/v1/pause", #"{"reason":"x"}"#) == "200")
      let body = #"{"handler":"private","clientId":"a"}"#
      #expect(try call(service, as: "daemon", "POST", "/v1/updates", body) == "202")
      #expect(try call(service, as: "nobody", groups: "7", "POST", "/v1/updates", body) == "202")
      try service.handler("private", exec: "/bin/true", more: "AllowGroups=lp\nAttempts=5")
      service.kill(SIGKILL)
      try service.start()
      chmod("\(service.folder)/socket", 0o666)
      #expect(try call(service, as: "games", "POST", "/v1/resume") == "200")
      #expect(eventually { (try? service.status().updates["failed"]) == 1 })
      #expect(eventually { (try? service.status().updates["applied"]) == 1 }, "the group is stored")
    }
  }
}
