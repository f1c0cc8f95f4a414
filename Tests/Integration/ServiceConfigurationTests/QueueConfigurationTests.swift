import Scheduling
import ServiceConfiguration
import Testing
import Timeline

@Suite("Configuration of the queue")
struct QueueConfigurationTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  private func policy(_ lines: String) throws -> HandlerPolicy {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\n\(lines)\n")
    return try #require(try root.read().handlers["h"]).policy(serviceQuietPeriod: .seconds(7))
  }

  @Test("Key= is everybody's; if only Coalesce= is written, it is the handler itself")
  func handlerKey() throws {
    #expect(try policy("Attempts=2").key == nil)
    #expect(try policy("Coalesce=latest").key == "h")
    #expect(try policy("Key=menu").key == "menu" && policy("Key=menu\nCoalesce=first").key == "menu")
  }

  @Test("a handler without these keys has the service's quiet period, one attempt, 10 s, latest")
  func defaults() throws {
    #expect(
      try policy("")
        == HandlerPolicy(quietPeriod: .seconds(7), attempts: 1, backoff: .seconds(10), coalescing: .latest))
    #expect(try root.read().maxWaiting == 10_000 && root.read().maxWaitingPerUser == 1000)
  }

  @Test("a handler with all these keys has their values")
  func all() throws {
    #expect(
      try policy("QuietPeriod=1min 30s\nAttempts=5\nBackoff=2s\nCoalesce=first")
        == HandlerPolicy(quietPeriod: .seconds(90), attempts: 5, backoff: .seconds(2), coalescing: .first, key: "h"))
  }

  @Test("a handler's quiet period of zero overrides the service's")
  func noQuiet() throws {
    #expect(try policy("QuietPeriod=0").quietPeriod == .zero)
    #expect(try policy("QuietPeriod=infinity").quietPeriod == .forever)
    #expect(try root.read().handlers["h"]?.terms.quietPeriod == .forever)
  }

  @Test("every way of coalescing is read", arguments: HandlerPolicy.Coalescing.allCases)
  func coalescing(_ coalescing: HandlerPolicy.Coalescing) throws {
    #expect(try policy("Coalesce=\(coalescing.rawValue)").coalescing == coalescing)
  }

  @Test("the bounds are valid values")
  func bounds() throws {
    #expect(try policy("Attempts=1").attempts == 1 && policy("Attempts=100").attempts == 100)
    #expect(try policy("Backoff=100ms").backoff == .milliseconds(100))
    try root.write("etc/touchgate.conf", "[Queue]\nMaxWaiting=1000000\nMaxWaitingPerUser=1\n")
    #expect(try root.read().maxWaiting == 1_000_000 && root.read().maxWaitingPerUser == 1)
  }

  @Test("a value beyond the bounds or of another form is refused with what is allowed")
  func badHandler() throws {
    try root.write(
      "etc/handlers.d/h.conf",
      """
      [Handler]
      Exec=/bin/true
      QuietPeriod=soon
      Attempts=0
      Backoff=99ms
      Coalesce=Latest
      """)
    try root.expectProblems([
      ("etc/handlers.d/h.conf", 3, ["QuietPeriod= 'soon' is not a time span"]),
      ("etc/handlers.d/h.conf", 4, ["Attempts= '0' is not a number from 1 to 100"]),
      ("etc/handlers.d/h.conf", 5, ["Backoff= '99ms' is too short; at least 100 ms"]),
      ("etc/handlers.d/h.conf", 6, ["Coalesce= 'Latest' is invalid; did you mean latest? Use latest, first or all"]),
    ])
  }

  @Test(
    "a text that is not a number in range is refused",
    arguments: ["", "-1", "101", "1.5", "three", "1 2", "0x5", "99999999999999999999"])
  func badAttempts(_ text: String) throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nAttempts=\(text)\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 3, ["Attempts= '\(text)'", "1 to 100"])])
  }

  @Test("each of these keys is allowed once")
  func twice() throws {
    let keys = ["QuietPeriod=1s", "Attempts=2", "Backoff=1s", "Coalesce=all"]
    try root.write(
      "etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\n" + (keys + keys).joined(separator: "\n") + "\n")
    try root.expectProblems(
      keys.enumerated().map { index, key in
        let name = key.prefix { $0 != "=" }
        return ("etc/handlers.d/h.conf", 7 + index, ["\(name)= is duplicated; first set on line \(3 + index)"])
      })
  }

  @Test("a limit of zero or above a million is refused", arguments: ["0", "-5", "1000001", "many", ""])
  func badMaxWaiting(_ text: String) throws {
    try root.write("etc/touchgate.conf", "[Queue]\nMaxWaiting=\(text)\nMaxWaitingPerUser=\(text)\n")
    try root.expectProblems([
      ("etc/touchgate.conf", 2, ["MaxWaiting= '\(text)' is not a number from 1 to 1000000"]),
      ("etc/touchgate.conf", 3, ["MaxWaitingPerUser= '\(text)' is not a number from 1 to 1000000"]),
    ])
  }

  @Test("sizes and history limits have defaults and are read")
  func sizes() throws {
    let defaults = Configuration()
    #expect(defaults.maxWaitingBytes == 67_108_864 && defaults.maxWaitingBytesPerUser == 16_777_216)
    #expect(defaults.history == HistoryLimits(age: .seconds(30 * 86400), entries: 10_000, payloadBytes: 16_777_216))
    try root.write(
      "etc/touchgate.conf",
      """
      [Queue]
      MaxWaitingBytes=1G
      MaxWaitingBytesPerUser=500K
      KeepHistory=1h 30min
      KeepHistoryEntries=7
      KeepPayloads=12
      """)
    let read = try root.read()
    #expect(read.maxWaitingBytes == 1_073_741_824 && read.maxWaitingBytesPerUser == 512_000)
    #expect(read.history == HistoryLimits(age: .seconds(5400), entries: 7, payloadBytes: 12))
    try root.write("etc/touchgate.conf", "[Queue]\nKeepHistory=infinity\n")
    #expect(try root.read().history.age == .forever)
  }

  @Test(
    "a text that is not a size is refused",
    arguments: ["", "M", "-1", "+1", "1.5M", "1 M", "1MB", "65G", "9999999999999999999", "٣"])
  func badSize(_ text: String) throws {
    try root.write("etc/touchgate.conf", "[Queue]\nMaxWaitingBytes=\(text)\nKeepPayloads=\(text)\n")
    try root.expectProblems([
      ("etc/touchgate.conf", 2, ["MaxWaitingBytes= '\(text)' is not a size up to 64G"]),
      ("etc/touchgate.conf", 3, ["KeepPayloads= '\(text)'"]),
    ])
  }

  @Test("the largest size is 64G")
  func largestSize() throws {
    try root.write("etc/touchgate.conf", "[Queue]\nMaxWaitingBytes=64G\n")
    #expect(try root.read().maxWaitingBytes == 64 << 30)
  }

  @Test("a key of another section is reported with its section")
  func wrongPlace() throws {
    try root.write("etc/touchgate.conf", "[Gate]\nMaxWaiting=5\nAttempts=3\n[Queue]\nQuietPeriod=1s\n")
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nMaxWaiting=5\nCoalese=all\n")
    try root.expectProblems([
      ("etc/touchgate.conf", 2, ["'MaxWaiting'", "belongs to [Queue]"]),
      ("etc/touchgate.conf", 3, ["'Attempts'"]),
      ("etc/touchgate.conf", 5, ["'QuietPeriod'", "belongs to [Gate]"]),
      ("etc/handlers.d/h.conf", 3, ["'MaxWaiting'"]),
      ("etc/handlers.d/h.conf", 4, ["'Coalese'", "did you mean Coalesce=?"]),
    ])
  }
}
