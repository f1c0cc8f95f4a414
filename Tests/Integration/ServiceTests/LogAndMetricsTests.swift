import Foundation
import ProjectFiles
import Scheduling
import ServiceLog
import Testing
import Timeline

@testable import Service

@Suite("Log and metrics")
struct LogAndMetricsTests {
  @Test("every message id is in the catalog once, with a subject and an explanation, and no others are")
  func catalog() throws {
    let text = try ProjectFiles.text("systemd/catalog/touchgate.catalog")
    let entries = text.components(separatedBy: "\n-- ").dropFirst()
    let ids = entries.map { String($0.prefix(32)) }
    #expect(ids.sorted() == LogEvent.allCases.map(\.rawValue).sorted())
    for entry in entries {
      let lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines[0].count == 32 && lines[1].hasPrefix("Subject: ") && lines[2] == "Defined-By: touchgate")
      #expect(lines[4] == "" && lines.count > 5 && !lines[5].isEmpty, "\(lines[0])")
    }
    #expect(ids.allSatisfy { $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
  }

  @Test("the bounds of a histogram are counted up, with all in the last, and the sum in seconds")
  func histogram() {
    var histogram = Metrics.Histogram([.milliseconds(10), .seconds(1)])
    for time in [Duration.milliseconds(10), .milliseconds(11), .seconds(5), .milliseconds(-1)] { histogram.add(time) }
    var text = MetricsText()
    text.add("t_seconds", "How long.", histogram)
    #expect(
      text.text == """
        # HELP t_seconds How long.
        # TYPE t_seconds histogram
        t_seconds_bucket{le="0.01"} 2
        t_seconds_bucket{le="1.0"} 3
        t_seconds_bucket{le="+Inf"} 4
        t_seconds_sum 5.021
        t_seconds_count 4

        """)
  }

  @Test("a screen may have any name: quotes, backslashes and line ends are escaped, and no value means no lines")
  func labels() {
    var text = MetricsText()
    text.add("t", .gauge, "T.", [(("screen", "a\"b\\c\nd"), 1)])
    text.add("u", .gauge, "U.", [(MetricsText.Label?, Int)]())
    #expect(text.text == "# HELP t T.\n# TYPE t gauge\nt{screen=\"a\\\"b\\\\c\\nd\"} 1\n")
  }
}
