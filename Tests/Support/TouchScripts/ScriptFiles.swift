import Foundation
import ProjectFiles

/// All scripts: the project's own, and those of `../shared/cases/touch` that the project does not have.
public enum ScriptFiles {
  public static let all: [String] = {
    let own = scripts(ProjectFiles.root.appending(path: "Tests/Unit/TouchModelTests/Cases"))
    let shared = scripts(ProjectFiles.shared.appending(path: "cases/touch"))
    return own
      + shared.filter { file in !own.contains { FileManager.default.contentsEqual(atPath: file, andPath: $0) } }
  }()

  private static func scripts(_ folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".touch") }.sorted().map { folder.appending(path: $0).path }
  }
}
