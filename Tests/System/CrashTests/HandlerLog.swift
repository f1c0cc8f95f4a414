import Foundation

/// The log that the handlers wrote (Tests/Tools/crash/handler.c), independent of the service.
struct HandlerLog: Equatable {
  enum Line: Equatable {
    case begin(id: String, life: Int, attempt: Int, handler: String, payload: String)
    case end(id: String, life: Int, status: Int)
  }

  struct Malformed: Error {
    let line: String
  }

  let lines: [Line]

  init(_ lines: [Line]) { self.lines = lines }

  /// - Throws: `Malformed` at the first line that no handler wrote.
  init(text: String) throws {
    lines = try text.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "begin" where words.count == 6:
        guard let life = Int(words[2]), let attempt = Int(words[3]) else { break }
        return .begin(id: words[1], life: life, attempt: attempt, handler: words[4], payload: words[5])
      case "end" where words.count == 4:
        guard let life = Int(words[2]), let status = Int(words[3]) else { break }
        return .end(id: words[1], life: life, status: status)
      default: break
      }
      throw Malformed(line: String(line))
    }
  }
}
