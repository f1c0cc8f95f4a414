import Scheduling
import Timeline

/// Counters since the start of the service, for Prometheus. Labels are bounded: states and screens.
final class Metrics {
  var accepted = 0
  var started = 0
  var rechecks = 0
  var lastLooks = 0
  var reloads = 0
  var ended: [FinalState: Int] = [:]
  var releaseToStart = Histogram([.milliseconds(5), .milliseconds(20), .milliseconds(100), .seconds(1), .seconds(10)])
  var handlerTime = Histogram([.milliseconds(100), .seconds(1), .seconds(10), .seconds(60), .seconds(600)])

  /// A handler has started; `delay`: after the touch that it waited for.
  func started(after delay: Duration?) {
    started += 1
    if let delay { releaseToStart.add(delay) }
  }

  struct Histogram {
    private let bounds: [Duration]
    /// One per bound, and one for what is longer than all.
    private var counts: [Int]
    private var sum: Duration = .zero

    init(_ bounds: [Duration]) {
      self.bounds = bounds
      counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ time: Duration) {
      counts[bounds.firstIndex { time <= $0 } ?? bounds.count] += 1
      sum += max(time, .zero)
    }

    /// The number of times up to each bound; the last has no bound.
    fileprivate var upTo: [(bound: Duration?, count: Int)] {
      var total = 0
      return zip(bounds.map(Optional.some) + [nil], counts).map { bound, count in
        total += count
        return (bound, total)
      }
    }

    fileprivate var seconds: Double { sum.inSeconds }
  }
}

/// Prometheus' text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
struct MetricsText {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""

  enum Kind: String { case counter, gauge, histogram }

  typealias Label = (name: String, value: String)

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some Numeric, _ label: Label? = nil) {
    add(name, kind, help, [(label, value)])
  }

  /// One line per label; nothing if there is none.
  mutating func add<Value: Numeric>(_ name: String, _ kind: Kind, _ help: String, _ values: [(Label?, Value)]) {
    if values.isEmpty { return }
    head(name, kind, help)
    for (label, value) in values { line(name, label, "\(value)") }
  }

  mutating func add(_ name: String, _ help: String, _ histogram: Metrics.Histogram) {
    head(name, .histogram, help)
    for (bound, count) in histogram.upTo {
      line("\(name)_bucket", ("le", bound.map { "\($0.inSeconds)" } ?? "+Inf"), "\(count)")
    }
    line("\(name)_sum", nil, "\(histogram.seconds)")
    line("\(name)_count", nil, "\(histogram.upTo.last?.count ?? 0)")
  }

  private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: String, _ label: Label?, _ value: String) {
    text += name
    if let label { text += "{\(label.name)=\"\(Self.escape(label.value))\"}" }
    text += " \(value)\n"
  }

  private static func escape(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension Duration {
  var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
