public import Foundation

/// Files that tests read: of the project's tree, and of `shared` beside it, which a public clone does not have.
public enum ProjectFiles {
  /// The root of the checkout.
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Recordings and scripts by others.
  public static let shared = root.deletingLastPathComponent().appending(path: "shared")

  /// The text of a file of the project, such as `docs/openapi.yaml`.
  public static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
