extension ScreenSource {
  private static let form =
    "screen NAME [kind=mt|a|st] [slots=10] [title=\"ILITEK Multi-Touch\"] [size=4096x4096] [VENDOR:PRODUCT]"
    + " [autorepeat] [touchpad] [no-btn-touch] [tool-type] [distance], or screen NAME like=FILE"

  /// The words after `screen NAME`.
  init(_ name: String, _ arguments: inout ScriptArguments) throws(ScriptError) {
    if let path = arguments.next?.value(of: "like") {
      _ = try arguments.word(Self.form)
      self = .likeRecording(path: path)
      return
    }
    var screen = ScreenDescription(name)
    var slots = 10
    var isTypeB = true
    while let word = arguments.next {
      _ = try arguments.word(Self.form)
      let bad = arguments.error("'\(word)' says nothing about a screen; write: \(Self.form)")
      if let kind = word.value(of: "kind") {
        switch kind {
        case "mt": isTypeB = true
        case "a": screen.kind = .typeA
        case "st": screen.kind = .singleTouch
        default:
          throw arguments.error("there is no kind '\(kind)'; allowed: mt (type B), a (type A), st (single touch)")
        }
        isTypeB = kind == "mt"
      } else if let text = word.value(of: "slots") {
        guard let count = Int(text), (1...256).contains(count) else {
          throw arguments.error("'\(text)' slots; allowed: 1 to 256")
        }
        slots = count
      } else if let title = word.value(of: "title") {
        guard !title.isEmpty, title.utf8.count < 80 else {
          throw arguments.error("the title has \(title.utf8.count) bytes; allowed: 1 to 79")
        }
        screen.name = title
      } else if let size = word.value(of: "size") {
        let parts = size.split(separator: "x", omittingEmptySubsequences: false).map { Int32($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], width > 1, height > 1 else {
          throw arguments.error("'\(size)' is no size; allowed: WIDTHxHEIGHT, both from 2")
        }
        screen.maxX = width - 1
        screen.maxY = height - 1
      } else if let colon = word.firstIndex(of: ":") {
        guard let vendor = UInt16(word[..<colon], radix: 16),
          let product = UInt16(word[word.index(after: colon)...], radix: 16)
        else { throw bad }
        screen.vendor = vendor
        screen.product = product
      } else {
        switch word {
        case "autorepeat": screen.autorepeat = true
        case "touchpad": screen.direct = false
        case "no-btn-touch": screen.buttonTouch = false
        case "tool-type": screen.toolType = true
        case "distance": screen.distance = true
        default: throw bad
        }
      }
    }
    if isTypeB { screen.kind = .multitouch(slots: slots) }
    self = .described(screen)
  }
}

extension String {
  /// The text after `key=`; nil for another word.
  fileprivate func value(of key: String) -> String? {
    hasPrefix(key + "=") ? String(dropFirst(key.utf8.count + 1)) : nil
  }
}
