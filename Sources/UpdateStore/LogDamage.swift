import Glibc
import Linux

/// Committed writes in a write-ahead log that SQLite will not read, because a frame before or in them is damaged
/// (https://sqlite.org/fileformat2.html#walformat).
///
/// A write is synced before the next one begins, so a damaged frame with further commits behind it was complete once. In
/// the last commit it may also be one that a power failure interrupted, and which was never confirmed.
struct LogDamage: Equatable, CustomStringConvertible {
  /// Where the first damaged frame begins, or 0: the header is damaged.
  let offset: Int
  /// Commits from there on; nil: not known.
  let commits: Int?

  var description: String {
    switch commits {
    case nil: "its header is invalid; what was stored since the last checkpoint is lost"
    case 1:
      "its last write, at byte \(offset), is incomplete; after a power failure that is normal, but if the disk damaged it, "
        + "a change that was confirmed is lost"
    case let count?:
      "\(count) writes from byte \(offset) on are lost; updates that were accepted then are missing, and updates that "
        + "ended then may be applied again"
    }
  }

  init(offset: Int, commits: Int?) {
    self.offset = offset
    self.commits = commits
  }

  private static let headerBytes = 32
  private static let frameHeader = 24

  /// Reads the log of a database that is not open. Nil: nothing is lost, or there is no log.
  init?(path: String) {
    guard let file = try? FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW),
      let header = Self.read(file, Self.headerBytes), header.contains(where: { $0 != 0 })
    else { return nil }
    let magic = Self.number(header, 0)
    let pageSize = Int(Self.number(header, 8))
    var sum = Checksum(isBigEndian: magic & 1 == 1)
    sum.add(header[..<24])
    guard magic & ~1 == 0x377f_0682, (512...65_536).contains(pageSize), sum.equals(header[24...]) else {
      self.init(offset: 0, commits: nil)
      return
    }
    var offset = Self.headerBytes
    var damage: Int?
    var commits = 0
    while let frame = Self.read(file, Self.frameHeader + pageSize) {
      // Frames of an earlier round of the log have other salts.
      let isOfThisRound = frame[8..<16].elementsEqual(header[16..<24])
      if damage == nil {
        sum.add(frame[..<8])
        sum.add(frame[Self.frameHeader...])
        if !isOfThisRound || !sum.equals(frame[16..<24]) { damage = offset }
      }
      if damage != nil, isOfThisRound, Self.number(frame, 4) != 0 { commits += 1 }
      offset += frame.count
    }
    guard let damage, commits > 0 else { return nil }
    self.init(offset: damage, commits: commits)
  }

  /// Nil: fewer bytes are left.
  private static func read(_ file: borrowing FileDescriptor, _ count: Int) -> [UInt8]? {
    guard let bytes = try? file.readToEnd(limit: count), bytes.count == count else { return nil }
    return bytes
  }

  /// Big-endian, as all numbers of the log but the summands of checksums.
  private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The checksum that runs through the whole log.
  private struct Checksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// A multiple of 8 bytes.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count, by: 8) {
          let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
          second &+= (isBigEndian ? UInt32(bigEndian: other) : UInt32(littleEndian: other)) &+ first
        }
      }
    }

    func equals(_ bytes: ArraySlice<UInt8>) -> Bool {
      let bytes = Array(bytes)
      return number(bytes, 0) == first && number(bytes, 4) == second
    }
  }
}
