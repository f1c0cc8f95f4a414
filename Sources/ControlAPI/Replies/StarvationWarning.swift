public import Scheduling
import Timeline

/// The warning about an update that touches keep waiting for longer than a person would: a damaged panel reports touches
/// that nobody makes, or the quiet period is too long for this place.
public enum StarvationWarning {
  /// An update that touches and quiet periods have blocked for longer is reported.
  public static let threshold: Duration = .seconds(3600)

  /// - Parameters:
  ///   - blocked: for how long what has blocked the update.
  ///   - touches: the number of contacts so far, by screen.
  /// - Returns: nil if there is nothing to report.
  public static func text(_ id: UpdateID, blocked: BlockedTimes, touches: [String: Int]) -> String? {
    let time = blocked[.touched] + blocked[.settling]
    guard time >= threshold else { return nil }
    let counts = touches.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      .map { "screen '\($0.key)': \($0.value)" }.joined(separator: ", ")
    return
      "touches have kept update \(id) waiting for \(TimeSpan.describe(time))\(counts.isEmpty ? "" : " (contacts so far: \(counts))"); "
      + "if nobody touches, exclude the spot with IgnoreArea= in [Screen]; otherwise shorten QuietPeriod= or give the update a deadline"
  }
}
