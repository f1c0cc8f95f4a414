/// A screen that the machine has had.
public struct StoredScreen: Equatable, Sendable {
  public let name: String
  /// In how many boots its state was read; 2 if in more.
  public var boots: Int
  /// The last of these boots.
  public var boot: String
  /// `ID_PATH vendor:product`; nil: nothing identifies it.
  public var hardware: String?

  public init(name: String, boots: Int, boot: String, hardware: String?) {
    self.name = name
    self.boots = boots
    self.boot = boot
    self.hardware = hardware
  }
}
