public import TouchModel

/// A recorded device and what it sent: the content of an evemu file.
///
/// Stamps are those of the file, not moved: evemu 1.2 and later count from the first event, older files hold seconds
/// since 1970. Only differences mean something.
public struct Recording: Equatable, Sendable {
  public var device: RecordedDevice
  public var events: [InputEvent]

  public init(device: RecordedDevice, events: [InputEvent]) {
    self.device = device
    self.events = events
  }

  /// Parses evemu text, versions 1.0 to 1.3, with description. A description without events is a recording of nothing.
  ///
  /// Throws at the first line that is not evemu text, at a last line that is cut off, and when there is no description.
  public static func parse(_ bytes: [UInt8]) throws(RecordingError) -> Recording {
    let content = try EvemuParser.parse(bytes)
    guard let device = content.device else { throw .noDescription }
    return Recording(device: device, events: content.events)
  }

  /// Parses a pair of files: what the device is (`.desc`), and what it sent (`.events`). A description that the second
  /// has of its own must be right, but does not count. Lines in errors are those of the file the error is in.
  public static func parse(description: [UInt8], events: [UInt8]) throws(RecordingError) -> Recording {
    let device = try EvemuParser.parse(description).device
    guard let device else { throw .noDescription }
    return Recording(device: device, events: try EvemuParser.parse(events).events)
  }

  /// The recording in the form of evemu 1.3, for `evemu-play`, `evemu-device` and `parse`; comments are not made.
  /// Stamps are written in whole microseconds, and those before 0 as 0.
  public func text() -> String {
    var lines = device.evemuLines
    lines.reserveCapacity(lines.count + events.count)
    for event in events { lines.append(event.evemuLine) }
    return lines.joined(separator: "\n") + "\n"
  }
}
