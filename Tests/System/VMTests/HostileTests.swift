import Foundation
import ProjectFiles
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("A hostile user of the socket")
  struct HostileTests {
    private static let script = ProjectFiles.root.appending(path: "Tests/Tools/api/hostile.py").path

    /// 64 connections of the user `nobody`, until it is killed.
    private func attack(_ service: ServiceUnderTest) throws -> ChildProcess {
      let process = try ChildProcess(
        "/usr/bin/setpriv", ["--reuid=nobody", "--clear-groups", "python3", Self.script, "\(service.folder)/socket"],
        errors: "\(service.folder)/attacker")
      let isReady = eventually {
        (try? String(contentsOfFile: "\(service.folder)/attacker", encoding: .utf8))?.hasPrefix("ready") == true
      }
      try #require(isReady)
      return process
    }

    private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
      let duration = try ContinuousClock().measure(body)
      return Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
    }

    private func told(_ what: String, _ times: [Double]) -> String {
      let sorted = times.sorted()
      let numbers = [sorted[sorted.count / 2], sorted[sorted.count * 95 / 100], sorted[sorted.count - 1]]
      return "\(what): "
        + zip(["median", "95 %", "worst"], numbers).map { "\($0) \(Int($1 * 10) / 10).\(Int($1 * 10) % 10) ms" }
        .joined(separator: ", ")
    }

    @Test("while one user misbehaves in every way, another user's submissions are answered, and touches are seen")
    func hostile() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      chmod("\(service.folder)/socket", 0o666)
      try #require(try service.knows(screens: 1))
      var figures: [String] = []
      for phase in ["alone", "attacked"] {
        let attacker = phase == "attacked" ? try attack(service) : nil
        defer {
          if let attacker {
            kill(attacker.pid, SIGKILL)
            _ = attacker.waitUntilExit()
          }
        }
        var (submits, touches, starts): ([Double], [Double], [Double]) = ([], [], [])
        let end = ContinuousClock.now + .seconds(attacker == nil ? 2 : 14)
        repeat {
          touches.append(
            try milliseconds {
              screen.down(slot: 0, x: 0.5, y: 0.5)
              screen.down(slot: 1, x: 0.6, y: 0.5)
              try #require(try service.sees(2))
            })
          var id = ""
          submits.append(try milliseconds { id = try service.submit() })
          #expect(try service.update(id).state == "waiting")
          screen.up(slot: 0)
          screen.up(slot: 1)
          try #require(eventually { service.isApplied(id) })
          let update = try service.update(id)
          if let start = update.result?.releaseToStartMs { starts.append(Double(start)) }
          try #require(try service.sees(0))
        } while ContinuousClock.now < end
        if let attacker { #expect(attacker.isRunning) }
        figures.append(told("\(phase), \(submits.count) submits", submits))
        figures.append(told("\(phase), two fingers seen", touches))
        if !starts.isEmpty { figures.append(told("\(phase), release to start", starts)) }
      }
      for figure in figures { print("hostile: \(figure)") }
      #expect(try service.status().warnings == [])
      let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.pid)/fd").count }
      #expect(try eventually { try descriptors() < 30 })
    }
  }
}
