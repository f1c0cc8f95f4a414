import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import Timeline
import TouchgateAPI
import UpdateStore

/// Why an update is not applied, and whether one would be.
extension Daemon {
  func whyAll(_ now: Instant) throws -> HTTPResponse {
    let waiting = try store.oldestUnfinished(limit: 1000).map(replies(now).update)
    let unapplied = try store.unapplied(since: SystemClock.wall + .seconds(-86400), limit: 1000).map(
      replies(now).update)
    return Replies.json(200, WhyReply(waiting: waiting, unapplied: unapplied))
  }

  /// What would happen to an update if it were accepted now: a copy of the scheduler is asked.
  func preview(_ update: Update, _ now: Instant) -> [Blocker] {
    lookAtScreens(now)
    var copy = scheduler
    _ = copy.submit(update, payload: [], at: now)
    _ = copy.stored(.accept(update, payload: []), at: now)
    return copy.blockers(of: update.id, at: now)
  }

  /// `dryRun=1`: all checks, and what would be in the way. `ifQuiet=1`: refused where anything is. Nil: go on.
  func answerPreview(_ update: Update, dryRun: Bool, ifQuiet: Bool, _ now: Instant) throws -> HTTPResponse? {
    guard dryRun || ifQuiet else { return nil }
    let blockers = preview(update, now).map(replies(now).blocker)
    if ifQuiet && !blockers.isEmpty { throw StateProblem.wouldWait(blockers) }
    return dryRun ? Replies.json(200, Replies.dryRun(update, blockers: blockers)) : nil
  }
}
