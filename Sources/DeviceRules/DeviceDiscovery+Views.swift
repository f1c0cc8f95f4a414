import TouchModel

/// What others see of the nodes, and the words for it.
extension DeviceDiscovery {
  /// A node as an administrator sees it.
  public struct NodeView: Equatable, Sendable {
    public let node: String
    public let name: String
    /// ID_PATH of udev, or the place in sysfs.
    public let path: String
    public let identity: String
    /// The screen that it belongs to; nil: it does not count.
    public let screen: String?
    /// Whether it is open and read.
    public let isAdopted: Bool
    /// Why it counts or does not, or what is wrong with it.
    public let why: String
    /// What it does to its screens if it is not adopted.
    let shut: [String]
    let isWarning: Bool
  }

  /// All nodes of the machine, by node.
  public var nodes: [NodeView] {
    entries.values.map(view).sorted { NaturalOrder.isLess($0.node, $1.node) }
  }

  /// Nodes that count but cannot be read, one for each screen that they shut.
  public var unreadable: [(screen: String, node: NodeView)] {
    nodes.flatMap { node in node.shut.map { ($0, node) } }
  }

  /// What an administrator should change, one line each.
  public var problems: [String] { nodes.filter(\.isWarning).map(\.why) }

  private func view(_ entry: Entry) -> NodeView {
    func view(
      _ why: String, screen: String? = nil, isAdopted: Bool = false, shut: [String] = [], isWarning: Bool = false
    ) -> NodeView {
      NodeView(
        node: entry.node.node, name: entry.node.name, path: entry.udev?.idPath ?? entry.node.path,
        identity: entry.node.identity, screen: screen, isAdopted: isAdopted, why: why, shut: shut, isWarning: isWarning)
    }
    return switch entry.state {
    case .new, .pending: view("udev has not reported it yet")
    case .leftOut(let reason): view(reason.words)
    case .unreported(let screen):
      view(Self.unreportedText(entry.node), screen: screen, shut: [screen], isWarning: true)
    case .disputed(let screens):
      view(
        ScreenRules.conflict("\(entry.node.node) (\(entry.node.name))", screens), screen: screens.first, shut: screens,
        isWarning: true)
    case .opening(let candidate, pause: _, problem: nil): view(candidate.basis.words, screen: candidate.screen)
    case .opening(let candidate, pause: _, let problem?), .unopened(let candidate, let problem, pause: _, due: _):
      view(problem, screen: candidate.screen, shut: [candidate.screen])
    case .open(let candidate): view(candidate.basis.words, screen: candidate.screen, isAdopted: true)
    case .refused(let candidate, let refusal, let shuts):
      view(
        refusalText(candidate, refusal, shuts: shuts), screen: shuts ? candidate.screen : nil,
        shut: shuts ? [candidate.screen] : [], isWarning: true)
    }
  }

  static func unreportedText(_ node: InputNode) -> String {
    "\(node.node) (\(node.name)) looks like a touchscreen, and udev has not reported it; name it by Use= in [Devices] of "
      + "touchgate.conf to let it count, or by Ignore= to exclude it"
  }

  func refusalText(_ candidate: Candidate, _ refusal: ScreenProfile.Refusal, shuts: Bool) -> String {
    let who = candidate.isConfigured ? "named by Use=" : "tagged as a touchscreen by udev"
    let text = "\(candidate.node) (\(candidate.name)) is \(who), but cannot be read as one: \(refusal.words)"
    if !shuts { return "\(text); it is left out" }
    return "\(text); its screen is unknown until Ignore= in [Devices] of touchgate.conf excludes it"
      + (candidate.isConfigured ? "" : " (an absolute mouse counts only if Use= names it)")
  }
}

/// The order in which numbers inside of texts count as numbers: `event9` before `event10`.
enum NaturalOrder {
  static func isLess(_ one: String, _ other: String) -> Bool { key(one).lexicographicallyPrecedes(key(other)) }

  /// Each number is preceded by its length.
  private static func key(_ text: String) -> [UInt8] {
    var key: [UInt8] = []
    var digits: [UInt8] = []
    for byte in text.utf8 {
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
        continue
      }
      if !digits.isEmpty { key += [UInt8(ascii: "0"), UInt8(clamping: digits.count)] + digits }
      digits = []
      key.append(byte)
    }
    return digits.isEmpty ? key : key + [UInt8(ascii: "0"), UInt8(clamping: digits.count)] + digits
  }
}
