/// A complete HTTP/1 answer: everything up to the end of the connection.
struct HTTPReply: Equatable {
  let status: Int
  let body: [UInt8]

  /// Throws `malformedReply` if it is no HTTP answer, or if its length is not its Content-Length.
  init(parsing bytes: [UInt8]) throws(ClientError) {
    guard let headEnd = Self.headEnd(bytes) else { throw .malformedReply("the header has no end") }
    let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]), (100..<600).contains(status)
    else { throw .malformedReply("there is no HTTP status") }
    let body = Array(bytes[(headEnd + 4)...])
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, parts[0].lowercased() == "content-length" {
        let digits = parts[1].drop { $0 == " " }
        guard let length = Int(digits) else { throw .malformedReply("the Content-Length is '\(digits)'") }
        if body.count != length { throw .malformedReply("it has \(body.count) bytes instead of \(length)") }
      }
    }
    self.status = status
    self.body = body
  }

  /// The index of the empty line after the header; nil if there is none yet.
  static func headEnd(_ bytes: [UInt8]) -> Int? {
    let mark = Array("\r\n\r\n".utf8)
    var index = 0
    while index + mark.count <= bytes.count {
      if bytes[index..<(index + mark.count)].elementsEqual(mark) { return index }
      index += 1
    }
    return nil
  }
}
