import FoundationEssentials
import Glibc
import ProjectFiles

/// The recordings of others in `../shared/recordings` beside the project; absent in a stranger's clone.
enum SharedRecordings {
  static let folder = ProjectFiles.shared.appending(path: "recordings").path

  static let hidDevices = files("hid-devices")
  static let evemuDevices = files("evemu-devices")
  static var all: [String] { hidDevices + evemuDevices }
  static var exist: Bool { !all.isEmpty }

  private static func files(_ name: String) -> [String] {
    guard let directory = opendir("\(folder)/\(name)") else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if [".ev", ".desc", ".events"].contains(where: file.hasSuffix) { found.append("\(folder)/\(name)/\(file)") }
    }
    return found.sorted()
  }
}
