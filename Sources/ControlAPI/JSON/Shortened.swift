extension String {
  /// For a message that repeats what a client sent: at most 80 Unicode scalars, then `…`. Scalars, because a character
  /// can have any length.
  public var shortened: String {
    unicodeScalars.count <= 80 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(80))) + "…"
  }
}
