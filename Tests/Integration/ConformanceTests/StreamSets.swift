import FoundationEssentials
import Glibc
import ProjectFiles
import Recordings
import TouchModel

/// All recordings: those of others beside the project, which are absent in a public clone, and the project's own.
struct StreamSets {
  let streams: [Stream]
  let recordings: Int
  let present: [String]
  let absent: [String]
  /// Recordings that cannot be played, with the reason.
  let defects: [String]

  init() {
    var streams: [Stream] = []
    var present: [String] = []
    var absent: [String] = []
    var recordings = 0
    var defects: [String] = []
    let sets = [
      ("shared/hid-devices", "\(ProjectFiles.shared.path)/recordings/hid-devices"),
      ("shared/evemu-devices", "\(ProjectFiles.shared.path)/recordings/evemu-devices"),
      ("own", "\(ProjectFiles.root.path)/Examples/recordings"),
    ]
    for (set, folder) in sets {
      var found: [Stream] = []
      for file in Self.files(folder) {
        do {
          found.append(try Stream(name: "\(set)/\(file)", Recording.read(path: "\(folder)/\(file)")))
        } catch {
          defects.append("\(set)/\(file): \(error)")
        }
      }
      if found.isEmpty { absent.append(set) } else { present.append(set) }
      recordings += found.count
      streams += found
      streams += found.filter { $0.profile.touchProtocol != .singleTouch }.compactMap(\.asSingleTouch)
      streams += found.compactMap(\.asVirtual)
      if set == "own" {
        streams += found.map { $0.asTypeA(button: false) }
        streams += found.map { $0.asTypeA(button: true) }
        streams += found.compactMap(\.asButtonOnly)
      }
    }
    self.defects = defects
    self.streams = streams
    self.recordings = recordings
    self.present = present
    self.absent = absent
  }

  private static func files(_ folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if [".ev", ".evemu", ".events"].contains(where: file.hasSuffix) { found.append(file) }
    }
    return found.sorted()
  }
}
