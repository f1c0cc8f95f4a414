import Recordings

/// Any bytes are a recording that is unchanged after writing and reading, or an error with a reason; never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  do {
    let recording = try Recording.parse(bytes)
    let again = try Recording.parse(Array(recording.text().utf8))
    precondition(again == recording, "not equal when written and read again")
  } catch {
    precondition(!error.description.isEmpty)
  }
  // As a pair of files: the first half describes the device, the second is its events.
  let half = size / 2
  _ = try? Recording.parse(description: Array(bytes[..<half]), events: Array(bytes[half...]))
  return 0
}
