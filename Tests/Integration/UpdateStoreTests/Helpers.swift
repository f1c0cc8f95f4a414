import CSQLite
import Scheduling
import Testing
import Timeline
import UpdateStore

/// 2026-11-30T02:14:07.250Z
func steady(_ milliseconds: Int64) -> SteadyTime { SteadyTime(milliseconds: milliseconds) }

let now = WallTime(millisecondsSinceEpoch: 1_796_004_847_250)

extension TemporaryFolder {
  var database: String { "\(path)/queue.db" }

  func open(pageLimit: Int? = nil) throws -> QueueStore {
    try QueueStore(path: database, now: now, pageLimit: pageLimit)
  }

  /// Another program's look into the file: a connection of its own, which knows nothing of the store's.
  func ask(_ sql: String, of name: String = "queue.db") throws -> [String] {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open("\(path)/\(name)", &handle) == SQLITE_OK)
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    var answer: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      answer.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
    return answer
  }
}

func id(_ text: String) throws -> UpdateID {
  try #require(UpdateID(text))
}

/// Of a hold or a client, where one is expected.
func id<Subject>(_ text: String) throws -> Identifier<Subject> {
  try #require(Identifier(text))
}

func update(_ name: String, _ sequence: Int64, parameters: [String: String] = [:]) throws -> Update {
  Update(
    id: try id(name), handler: "reload-page", parameters: parameters, createdAt: now,
    submitter: Submitter(uid: 4_294_967_295, pid: 4711), sequence: sequence)
}

func accept(
  _ name: String, _ sequence: Int64, parameters: [String: String] = [:], payload: [UInt8] = []
) throws -> StoreWrite {
  .accept(try update(name, sequence, parameters: parameters), payload: payload)
}

func result(_ state: FinalState, after milliseconds: Int64 = 0, exitCode: Int? = 0) -> UpdateResult {
  UpdateResult(
    state: state, exitCode: exitCode, message: "exit \(exitCode ?? -1)",
    finishedAt: WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + milliseconds),
    releaseToStartMilliseconds: nil)
}

extension QueueStore {
  var unfinishedNames: [String] {
    get throws { try unfinished().map(\.update.id.text) }
  }
}
