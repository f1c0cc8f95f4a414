import Scheduling
import Timeline

/// A digest that recognizes the same request, even when its payload is no longer kept: FNV-1a with 128 bits. It protects
/// from mistakes, not from attacks: a client that makes two requests with the same digest deceives only itself.
struct ContentDigest {
  private var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

  /// Adds the length of a part, then the part, so that different lists of parts never look the same.
  mutating func add(_ bytes: some Collection<UInt8>) {
    for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: bytes.count >> shift)) }
    for byte in bytes { mix(byte) }
  }

  mutating func add(_ text: String) { add(Array(text.utf8)) }

  /// Nil differs from every text.
  mutating func add(optional text: String?) {
    mix(text == nil ? 0 : 1)
    if let text { add(text) }
  }

  private mutating func mix(_ byte: UInt8) {
    value = (value ^ UInt128(byte)) &* Self.prime
  }

  var hex: String { String(value, radix: 16) }
}

extension Submission {
  /// Of everything that was requested, as it was requested, except `clientId`. A time span from now is that time span, whenever
  /// it is requested again.
  static func digest(_ submission: Submission, notBefore: String?, deadline: String?) -> String {
    var digest = ContentDigest()
    digest.add(submission.handler)
    for (name, value) in submission.parameters.sorted(by: { $0.key < $1.key }) {
      digest.add(name)
      digest.add(value)
    }
    digest.add(submission.payload)
    digest.add(optional: submission.key)
    digest.add(String(submission.priority))
    digest.add(optional: submission.quietPeriod.map { String($0.wholeMilliseconds) })
    digest.add(optional: notBefore)
    digest.add(optional: deadline)
    digest.add((submission.onDeadline ?? .expire).rawValue)
    digest.add(optional: submission.screen)
    return digest.hex
  }
}
