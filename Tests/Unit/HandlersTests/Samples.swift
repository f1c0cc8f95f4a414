import Handlers
import Scheduling
import Timeline

func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 100_000_000_000 + Int64(seconds * 1e9)) }

func sampleStart(timeout: Duration = .seconds(60)) throws -> HandlerStart {
  guard let id = UpdateID("a") else { throw HandlersError("no id") }
  return HandlerStart(
    Update(
      id: id, handler: "page", parameters: ["url": "x y"], createdAt: WallTime(millisecondsSinceEpoch: 0),
      submitter: Submitter(uid: 1, pid: 2), sequence: 1), attempt: 1, timeout: timeout, releasedAt: at(-1))
}
