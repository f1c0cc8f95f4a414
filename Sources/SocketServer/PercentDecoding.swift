import Glibc

/// Decodes every %HH in the text of a URL; nil if a `%` is not followed by two hexadecimal digits, or the result is not
/// UTF-8 or contains a NUL (which would end a C string).
func percentDecoded(_ text: UnsafePointer<CChar>) -> String? {
  var bytes: [UInt8] = []
  var position = text
  while position.pointee != 0 {
    var byte = UInt8(bitPattern: position.pointee)
    if byte == UInt8(ascii: "%") {
      // The terminating zero is not a digit, so nothing after it is read.
      guard let high = hexadecimal(position[1]), let low = hexadecimal(position[2]) else { return nil }
      byte = high << 4 | low
      if byte == 0 { return nil }
      position += 2
    }
    bytes.append(byte)
    position += 1
  }
  return String(validating: bytes, as: UTF8.self)
}

/// `/v1` of `http://localhost/v1`, which means the same (RFC 9112, section 3.2.2).
func originForm(_ target: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
  guard strncasecmp(target, "http://", 7) == 0, let path = strchr(target + 7, CInt(UInt8(ascii: "/"))) else {
    return target
  }
  return UnsafePointer(path)
}

private func hexadecimal(_ character: CChar) -> UInt8? {
  let byte = UInt8(bitPattern: character)
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
  default: return nil
  }
}
