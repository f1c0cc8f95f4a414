import CLibevdev
public import DeviceRules
import Glibc
import Linux
import TouchModel

/// Describes event nodes by sysfs, without opening them.
public struct SysfsReader {
  /// The keys that are read, of all that exist: BTN_LEFT, and those of touch.
  static let keys: Range<UInt32> = 0x110..<0x150
  private static let axes: Range<UInt32> = 0..<0x40
  private static let properties: Range<UInt32> = 0..<0x20

  private let files: any SystemFiles

  public init(_ files: any SystemFiles = MachineFiles()) { self.files = files }

  /// All event nodes of `/dev/input`.
  public func nodes() -> [InputNode] {
    files.names(in: NodeWatch.folder).filter(NodeWatch.isEventNode).compactMap { node(named: $0) }
  }

  /// The node `/dev/input/NAME`; nil if it does not exist.
  public func node(named name: String) -> InputNode? {
    let node = "\(NodeWatch.folder)/\(name)"
    guard let number = files.deviceNumber(of: node) else { return nil }
    if let syspath = files.realPath("/sys/dev/char/\(number)") { return describe(syspath: syspath, node: node) }
    // With sysfs, a number without a device is that of a device which is gone.
    return files.realPath("/sys/dev/char") == nil ? describeByOpening(node) : nil
  }

  /// A node by the path of its device; nil if that is gone. A device that does not exist any more has no name.
  public func describe(syspath: String, node: String) -> InputNode? {
    guard let input = files.realPath("\(syspath)/device"), let name = files.text("\(input)/name"),
      let properties = bits("\(input)/properties", Self.properties),
      let axes = bits("\(input)/capabilities/abs", Self.axes), let keys = bits("\(input)/capabilities/key", Self.keys)
    else { return nil }
    func id(_ file: String) -> String { files.text("\(input)/id/\(file)").map(Self.line) ?? "" }
    let hardware = files.realPath("\(input)/device") ?? input
    let printable = InputNode.printable(Self.line(name))
    return InputNode(
      syspath: syspath, node: node, name: printable, identity: "\(id("vendor")):\(id("product"))",
      path: hardware.hasPrefix("/sys/") ? String(hardware.dropFirst(4)) : hardware,
      capabilities: ScreenProfile.Capabilities(
        name: printable, properties: properties, keys: keys, axes: axes,
        // Their number is not in sysfs.
        slots: axes.contains(EventCode.slot) ? 1 : nil, taggedTouchscreen: false))
  }

  /// `capabilities/ff`: the force feedback effects, as the kernel writes bitmaps; `0`: none.
  func forceFeedback(syspath: String) -> String {
    files.text("\(syspath)/device/capabilities/ff").map(Self.line) ?? "0"
  }

  /// Without sysfs. A node that cannot be opened has no capabilities.
  private func describeByOpening(_ node: String) -> InputNode? {
    var found = InputNode(syspath: node, node: node, name: node, capabilities: nil)
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor(opening: node, O_RDONLY | O_NONBLOCK)
    } catch {
      return EvdevError.opening(node, error.code).isGone ? nil : found
    }
    var library: OpaquePointer?
    guard libevdev_new_from_fd(descriptor.raw, &library) >= 0, let library else { return nil }
    defer { libevdev_free(library) }
    let capabilities = TouchDevice.capabilities(library)
    found.name = InputNode.printable(capabilities.name)
    found.identity =
      "\(Self.hex(libevdev_get_id_vendor(library))):\(Self.hex(libevdev_get_id_product(library)))"
    found.capabilities = capabilities
    return found
  }

  private static func hex(_ number: CInt) -> String {
    let text = String(UInt16(truncatingIfNeeded: number), radix: 16)
    return String(repeating: "0", count: 4 - text.count) + text
  }

  private static func line(_ text: String) -> String { text.last == "\n" ? String(text.dropLast()) : text }

  /// A bitmap of the kernel: words of the size of a pointer, in hexadecimal, the highest first.
  private func bits(_ path: String, _ range: Range<UInt32>) -> Set<UInt16>? {
    guard let text = files.text(path) else { return nil }
    let words = text.split { $0 == " " || $0 == "\n" }.reversed().map { UInt($0, radix: 16) ?? 0 }
    return Set(
      range.filter { bit in
        let index = Int(bit) / UInt.bitWidth
        return index < words.count && words[index] >> (UInt(bit) % UInt(UInt.bitWidth)) & 1 == 1
      }.map { UInt16($0) })
  }
}
