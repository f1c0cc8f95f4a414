extension String {
  /// For a message that repeats what somebody sent. Not by characters: one of them may be of any length.
  var shortened: String {
    unicodeScalars.count <= 80 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(80))) + "…"
  }
}
