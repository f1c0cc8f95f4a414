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

  init() {
    var streams: [Stream] = []
    var present: [String] = []
    var absent: [String] = []
    var recordings = 0
    let sets = [
      ("shared/hid-devices", "\(ProjectFiles.shared.path)/recordings/hid-devices"),
      ("shared/evemu-devices", "\(ProjectFiles.shared.path)/recordings/evemu-devices"),
      ("own", "\(ProjectFiles.root.path)/Examples/recordings"),
    ]
    for (set, folder) in sets {
      let found = Self.files(folder).compactMap { file -> Stream? in
        guard let recording = try? Recording.read(path: "\(folder)/\(file)") else { return nil }
        return Stream(name: "\(set)/\(file)", recording)
      }
      if found.isEmpty { absent.append(set) } else { present.append(set) }
      recordings += found.count
      streams += found
      streams += found.filter { $0.profile.touchProtocol != .singleTouch }.compactMap(\.asSingleTouch)
      if set == "own" { streams += found.map(\.asTypeA) }
    }
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
