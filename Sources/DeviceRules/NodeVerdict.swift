import TouchModel

/// Whether a node counts as a touchscreen, from what the kernel, udev and the configuration say about it.
public enum NodeVerdict: Equatable, Sendable {
  case counts(Basis)
  /// It looks like a touchscreen, and udev has not reported it yet.
  case pending
  /// It looks like a touchscreen, and udev has not reported it in time.
  case unreported
  case leftOut(Reason)

  /// Why a node counts.
  public enum Basis: Equatable, Sendable {
    /// udev tags it as a touchscreen.
    case tagged
    /// `Use=` names it.
    case configured
    /// By its capabilities, against udev's tags.
    case ownTest(Set<UdevReport.Tag>)
  }

  /// Why a node does not count.
  public enum Reason: Equatable, Sendable {
    /// By `Ignore=`.
    case ignored
    /// By LIBINPUT_IGNORE_DEVICE or TOUCHGATE_IGNORE.
    case ignoredByUdev
    case foreignSeat(String)
    /// It looks like a touchscreen, but udev says that it is something else.
    case taggedAs(Set<UdevReport.Tag>)
    case noTouchscreen
  }

  /// `isOverdue`: udev has had enough time to report the node. `udev`: nil until then.
  public init(_ node: InputNode, _ udev: UdevReport?, rules: [DeviceRule], isOverdue: Bool) {
    let look = node.capabilities.map(Look.init)
    switch DeviceRule.decide(rules, on: node.forRules(udev)) {
    case .ignored:
      self = .leftOut(.ignored)
    case .foreignSeat:
      self = .leftOut(.foreignSeat(udev?.seat ?? ""))
    case .touchscreen:
      // Until udev reports it, neither its seat nor its screen is known.
      self = udev == nil && !isOverdue && look != .other ? .pending : .counts(.configured)
    case .asTagged:
      guard let udev else {
        self = look == .other ? .leftOut(.noTouchscreen) : isOverdue ? .unreported : .pending
        return
      }
      self = Self.asTagged(udev, look ?? .other)
    }
  }

  private static func asTagged(_ udev: UdevReport, _ look: Look) -> NodeVerdict {
    if udev.ignored { return .leftOut(.ignoredByUdev) }
    if udev.tags.contains(.touchscreen) { return .counts(.tagged) }
    switch look {
    // Fingers and pen in one node are tagged only as a tablet.
    case .slots where udev.tags.isSubset(of: [.tablet]): return .counts(.ownTest(udev.tags))
    case .direct where udev.tags.isEmpty: return .counts(.ownTest(udev.tags))
    case .slots, .direct: return .leftOut(.taggedAs(udev.tags))
    case .other: return .leftOut(.noTouchscreen)
    }
  }

  /// What a node is by its capabilities alone.
  enum Look {
    /// INPUT_PROP_DIRECT with multitouch slots.
    case slots
    /// INPUT_PROP_DIRECT with other axes of touch, and not only for pens.
    case direct
    case other

    init(_ capabilities: ScreenProfile.Capabilities) {
      var device = capabilities
      device.taggedTouchscreen = false
      device.isConfigured = false
      guard let profile = try? ScreenProfile(device) else {
        self = .other
        return
      }
      switch profile.touchProtocol {
      case .typeB: self = .slots
      case .typeA, .singleTouch: self = .direct
      }
    }
  }
}

extension InputNode {
  /// As rules of the configuration see it.
  public func forRules(_ udev: UdevReport?) -> DeviceRule.Device {
    DeviceRule.Device(name: name, identity: identity, path: udev?.idPath ?? path, seat: udev?.seat ?? "seat0")
  }
}

// MARK: Words

extension NodeVerdict.Basis {
  /// Whether udev and we agree.
  var isDisputed: Bool {
    switch self {
    case .tagged, .configured: false
    case .ownTest: true
    }
  }

  public var words: String {
    switch self {
    case .tagged: "udev tags it as a touchscreen"
    case .configured: "Use= in [Devices] names it"
    case .ownTest(let tags):
      "it is a direct device with touch axes, although udev tags it \(tags.isEmpty ? "as nothing" : "only as \(tags.words)")"
    }
  }
}

extension NodeVerdict.Reason {
  public var words: String {
    switch self {
    case .ignored: "Ignore= in [Devices] excludes it"
    case .ignoredByUdev: "LIBINPUT_IGNORE_DEVICE or TOUCHGATE_IGNORE of udev excludes it"
    case .foreignSeat(let seat): "it belongs to \(seat); Use=seat:\(seat) in [Devices] would let it count"
    case .taggedAs(let tags):
      "it is a direct device with touch axes, but udev tags it as \(tags.words); Use= in [Devices] would let it count"
    case .noTouchscreen: "it is no touchscreen"
    }
  }
}

extension Set<UdevReport.Tag> {
  fileprivate var words: String { map { $0.rawValue.lowercased() }.sorted().joined(separator: " and ") }
}

extension ScreenProfile.Refusal {
  /// Why a device that should be a touchscreen cannot be read as one.
  var words: String {
    switch self {
    case .indirect: "it is neither a direct device nor tagged"
    case .fakeMultitouch: "its multitouch axes are those of a joystick"
    case .noTouch: "it has neither multitouch axes nor ABS_X, ABS_Y and BTN_TOUCH"
    case .penOnly: "it is a tablet for pens"
    }
  }
}
