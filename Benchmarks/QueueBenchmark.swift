import Foundation
import Scheduling
import Timeline
import TouchgateAPI
import TouchgateClient
import UpdateStore

/// Measures the cost of a long queue: runs the service twice, with a short and a long queue, and alternates calls
/// between them, so that other load on the machine affects both.
///
///     queuebench PROGRAM [LONG [SHORT]]
@main
struct QueueBenchmark {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count > 1 else {
      print("usage: queuebench PATH-OF-TOUCHGATED [LONG [SHORT]]")
      exit(2)
    }
    let long = words.count > 2 ? Int(words[2]) ?? 100_000 : 100_000
    let short = words.count > 3 ? Int(words[3]) ?? 100 : 100
    let services = try [short, long].map { try ServiceWithQueue(program: words[1], waiting: $0) }
    print("queue: \(short) and \(long) updates wait; times in ms (median), each pair measured in turn")
    try starts(services)
    for service in services { try service.start() }
    report("memory in MiB", services.map { Double($0.memory) / 1024 })
    try measure("submit", services, times: 400) { service, number in try service.submit("submit-\(number)") }
    try measure("the same id again", services, times: 400) { service, number in
      try service.submit("submit-\(number)")
    }
    try measure("show", services, times: 400) { service, number in
      _ = try service.connection.update("submit-\(number)")
    }
    try measure("cancel", services, times: 400) { service, number in
      _ = try service.connection.cancel("submit-\(number)")
    }
    try measure("status", services, times: 400) { service, _ in _ = try service.connection.status() }
    try measure("list of 100", services, times: 50) { service, _ in _ = try service.connection.updates() }
    try measure("list of 100 that wait", services, times: 50) { service, _ in
      _ = try service.connection.updates(state: "waiting", limit: 100)
    }
    try measure("submit until applied", services, times: 100) { service, number in
      try service.apply("apply-\(number)")
    }
    let commit = try BareCommit(folder: services[0].folder)
    var bare: [Double] = []
    for number in 0..<400 { bare.append(try milliseconds { try commit.write(number) }) }
    print(
      row("a bare commit of SQLite", [median(bare)]) + "        for comparison: the same disk, WAL, synchronous=FULL")
    for service in services { service.stop() }
  }

  private static func starts(_ services: [ServiceWithQueue]) throws {
    var times = services.map { _ in [Double]() }
    for _ in 0..<5 {
      for (index, service) in services.enumerated() {
        times[index].append(try milliseconds { try service.start() })
        service.stop()
      }
    }
    report("start until it answers", times.map(median))
  }

  private static func measure(
    _ name: String, _ services: [ServiceWithQueue], times: Int, _ body: (ServiceWithQueue, Int) throws -> Void
  ) throws {
    var all = services.map { _ in [Double]() }
    for number in 0..<times {
      for (index, service) in services.enumerated() {
        all[index].append(try milliseconds { try body(service, number) })
      }
    }
    report(name, all.map(median))
  }

  private static func report(_ name: String, _ values: [Double]) {
    print(row(name, values) + "  x" + number(values[1] / values[0], width: 6))
  }

  private static func row(_ name: String, _ values: [Double]) -> String {
    name.padding(toLength: 26, withPad: " ", startingAt: 0) + values.map { number($0, width: 10) }.joined()
  }

  private static func number(_ value: Double, width: Int) -> String {
    let text = "\((value * 100).rounded() / 100)"
    return String(repeating: " ", count: max(1, width - text.count)) + text
  }

  private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
