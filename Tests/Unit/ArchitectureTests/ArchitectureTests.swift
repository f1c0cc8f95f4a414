import ProjectFiles
import Testing

@Suite("Architecture")
struct ArchitectureTests {
  /// What each pure module may import.
  static let pure: [String: Set<String>] = [
    "Timeline": [],
    "TouchModel": ["Timeline"],
    "TouchReading": ["Timeline", "TouchModel"],
    "Gating": ["Timeline", "TouchModel"],
    "Scheduling": ["Timeline"],
    "TouchgateAPI": ["Timeline"],
    "Haptics": ["Timeline"],
    "HTTPTypes": [],
    // FoundationEssentials: JSON and base64.
    "ControlAPI": ["Timeline", "Gating", "Scheduling", "TouchgateAPI", "HTTPTypes", "FoundationEssentials"],
  ]

  let tree: SourceTree

  init() throws { tree = try SourceTree() }

  @Test("pure modules import nothing but each other and what this list states", arguments: pure.keys.sorted())
  func pureImports(_ module: String) {
    let files = tree.files.filter { $0.module == module }
    #expect(files.count > 1)
    for file in files {
      let others = Set(file.imports).subtracting(Self.pure[module] ?? [])
      #expect(others == [], "\(file.path)")
    }
  }

  @Test("Package.swift gives the pure modules no other dependencies", arguments: pure.keys.sorted())
  func pureDependencies(_ module: String) throws {
    let package = try ProjectFiles.text("Package.swift")
    let lines = package.split(separator: "\n").filter { $0.contains("module(\"\(module)\"") }
    #expect(lines.count == 1, "declared once, on one line")
    let names = lines.joined().split(separator: "\"", omittingEmptySubsequences: false)
    // Between quotes: every second piece; the first is the module's own name.
    let quoted = names.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    #expect(quoted.first == module)
    #expect(Set(quoted.dropFirst()).isSubset(of: Self.pure[module] ?? []))
  }

  @Test("gates do not mention updates or quiet periods, and the scheduler does not mention touch")
  func strangers() {
    let words = ["Gating": ["Update", "quietPeriod", "handler"], "Scheduling": ["TouchModel", "Contact", "Frame"]]
    for (module, forbidden) in words {
      for file in tree.files where file.module == module {
        for word in forbidden {
          let found = file.lines.filter { line in
            line.split { !$0.isLetter }.contains { $0 == word }
          }
          #expect(found == [], "\(file.path) mentions \(word)")
        }
      }
    }
  }

  @Test("nothing imports Foundation or Dispatch: they make the programs four times as large")
  func foundation() {
    let users = tree.files.filter { file in
      file.imports.contains {
        ["Foundation", "Dispatch", "FoundationNetworking", "FoundationInternationalization"].contains($0)
      }
    }
    #expect(users.map(\.path) == [])
  }

  @Test("one thread: no tasks, no async, no actors")
  func oneThread() {
    let words: Set<Substring> = ["async", "await", "actor", "TaskGroup", "AsyncStream"]
    let starts = ["Task {", "Task(", "Task.detached", "Thread(", "pthread_create("]
    // Force feedback blocks for 30 s inside the kernel, so it has a thread, started in this one place.
    for file in tree.files where file.path != "Sources/ForceFeedback/Vibrator.swift" {
      let found = file.lines.filter { line in
        // A type of ours may have that name.
        if line.contains("enum Task {") || line.contains("struct Task {") { return false }
        return line.split { !($0.isLetter || $0 == "_") }.contains { words.contains($0) }
          || starts.contains { line.contains($0) }
      }
      #expect(found == [], "\(file.path)")
    }
  }

  @Test("no source disables the compiler's checks")
  func noEscapes() {
    let forbidden = [
      "@unchecked", "nonisolated(unsafe)", "@preconcurrency", "try!", "as!", "fatalError(",
      "preconditionFailure(", "String(format:", "@_",
    ]
    for file in tree.files {
      for word in forbidden {
        #expect(file.lines.filter { $0.contains(word) } == [], "\(file.path) has \(word)")
      }
    }
  }

  @Test("only edge modules see C")
  func edges() {
    let edge: Set = [
      "Linux", "ServiceLog", "EventLoop", "SystemBus", "Evdev", "ForceFeedback", "UpdateStore", "SocketServer",
      "TouchDevices", "Handlers", "Service", "TouchgateClient",
    ]
    for file in tree.files where !edge.contains(file.module) {
      let seen = file.imports.filter { $0.hasPrefix("C") && $0.dropFirst().first?.isUppercase == true }
      #expect(seen == [], "\(file.path)")
    }
  }

  @Test("imports of all kinds are found, and comments and string literals are ignored")
  func reader() {
    let file = SourceTree.File(
      path: "Sources/Timeline/Example.swift",
      lines: SourceTree.code(
        """
        // import Dispatch
        public import Timeline
        @testable import Service; let x = 1
        import struct Foundation.Date
        \timport Glibc // for read
        let text = "import Foundation // not a comment \\" Task"
        important = 5
        """))
    #expect(file.module == "Timeline")
    #expect(file.imports == ["Timeline", "Service", "Foundation", "Glibc"])
    #expect(file.lines[5] == "let text = ")
    #expect(tree.files.count > 50)
  }
}
