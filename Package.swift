// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors, and the upcoming features make every import and every existential explicit.
// No unsafeFlags: the package must be usable as a dependency.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A module of ours: `Sources/NAME`, strict settings. `embedding`: files that become part of the program.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], embedding files: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: files.map { .embedInCode($0) }, swiftSettings: strict)
}

/// docs/openapi.yaml, which `GET /v1/openapi.yaml` serves.
let contract = "Resources/openapi.yaml"

/// A C library from Debian: module map and header in `Sources/NAME`. A missing one is reported by the header
/// itself with the apt line of the README.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// What tests need: nothing but values, or pipes and temporary folders, or a kernel of their own and installed programs.
enum TestGroup: String {
  case unit = "Unit"
  case integration = "Integration"
  case system = "System"
}

func tests(
  _ group: TestGroup, _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(group.rawValue)/\(name)", exclude: exclude,
    swiftSettings: strict)
}

/// Code that several test targets share: `Tests/Support/NAME`.
func support(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Tests/Support/\(name)", exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "touchgate",
  products: [
    .executable(name: "touchgated", targets: ["touchgated"]),
    .executable(name: "touchgate", targets: ["touchgate"]),
    .library(name: "TouchgateClient", targets: ["TouchgateClient"]),
  ],
  targets: [
    // Pure: nothing but each other and the standard library (ArchitectureTests checks it).
    module("Timeline"),
    module("TouchModel", ["Timeline"]),
    module("TouchReading", ["Timeline", "TouchModel"]),
    module("Gating", ["Timeline", "TouchModel"]),
    module("Scheduling", ["Timeline"]),
    module("TouchgateAPI", ["Timeline"]),
    module("HTTPTypes"),
    module("ControlAPI", ["Timeline", "Gating", "Scheduling", "TouchgateAPI", "HTTPTypes"], embedding: [contract]),
    module("Haptics", ["Timeline"]),

    // C: what Debian ships, and the shims for what the importer drops.
    .target(name: "CLinux"),
    library("CLibevdev", pkgConfig: "libevdev", apt: "libevdev-dev"),
    library("CLibudev", pkgConfig: "libudev", apt: "libudev-dev"),
    library("CLibsystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),

    // Edge: the only modules that see C.
    module("Linux", ["Timeline", "CLinux"]),
    module("ServiceLog", ["Linux", "Scheduling", "CLibsystemd"]),
    module("EventLoop", ["Timeline", "Linux", "CLinux", "CLibsystemd"]),
    module("SystemBus", ["Timeline", "Linux", "EventLoop", "CLibsystemd"]),
    module(
      "Evdev",
      ["Timeline", "TouchModel", "TouchReading", "DeviceRules", "Linux", "CLinux", "CLibevdev", "CLibudev"]),
    module("ForceFeedback", ["Timeline", "Haptics", "Linux", "CLinux"]),
    module("Recordings", ["Timeline", "TouchModel", "Linux"]),
    module("DeviceRules", ["Timeline", "TouchModel"]),
    module(
      "TouchDevices",
      [
        "Timeline", "TouchModel", "TouchReading", "Gating", "Linux", "ServiceLog", "EventLoop", "Evdev", "Recordings",
        "DeviceRules", "CLinux",
      ]),
    module("UpdateStore", ["Timeline", "Scheduling", "Linux", "CSQLite"]),
    module("SocketServer", ["Timeline", "TouchgateAPI", "HTTPTypes", "Linux", "CLinux", "CMicrohttpd"]),
    module(
      "Handlers", ["Timeline", "Scheduling", "Linux", "EventLoop", "SystemBus", "ServiceLog", "HTTPTypes", "CLinux"]),
    module(
      "ServiceConfiguration",
      ["Timeline", "TouchModel", "Gating", "Scheduling", "Haptics", "Linux", "DeviceRules"]),
    module(
      "Service",
      [
        "Timeline", "TouchModel", "Gating", "Scheduling", "TouchgateAPI", "HTTPTypes", "ControlAPI", "EventLoop",
        "SystemBus", "Evdev", "Recordings", "UpdateStore", "SocketServer", "Haptics", "ForceFeedback", "Linux",
        "ServiceLog", "ServiceConfiguration", "DeviceRules", "TouchDevices", "Handlers", "CLinux", "CLibsystemd",
      ]),
    module("TouchgateClient", ["Timeline", "TouchgateAPI", "Linux"]),
    module("TouchgateCommands", ["Timeline", "TouchgateAPI", "TouchgateClient", "Linux"]),

    .executableTarget(
      name: "touchgated", dependencies: ["Linux", "Service", "ServiceConfiguration", "ServiceLog"],
      swiftSettings: strict),
    .executableTarget(name: "touchgate", dependencies: ["TouchgateCommands"], swiftSettings: strict),

    // Shared by tests (Tests/README.md).
    support("ProjectFiles"),
    support("PlainWords"),
    support("Seeded"),
    support("TouchScripts", ["TouchModel", "ProjectFiles"]),
    support(
      "VirtualTouch", ["Linux", "CLinux", "CLibevdev", "Recordings", "TouchModel", "Timeline"], exclude: ["README.md"]),
    .target(name: "CVirtualVibrator", path: "Tests/Support/CVirtualVibrator"),
    support("VirtualVibrator", ["CVirtualVibrator", "Linux", "Timeline"]),
    support("SimulatedSystemd", ["Timeline", "Handlers"]),
    support("Racing", ["Linux", "CLinux", "Seeded", "Timeline"]),

    // Programs for tests and for developers.
    .executableTarget(name: "testreport", path: "Tests/Tools/testreport", swiftSettings: strict),
    .executableTarget(
      name: "touchplay", dependencies: ["Linux", "VirtualTouch"], path: "Tests/Tools/touchplay", swiftSettings: strict),
    .executableTarget(
      name: "racer", dependencies: ["Racing", "VirtualTouch", "Linux", "Timeline"], path: "Tests/Tools/racer",
      exclude: ["README.md", "stamp.c"], swiftSettings: strict),
    .executableTarget(
      name: "queuebench",
      dependencies: ["Timeline", "Scheduling", "TouchgateAPI", "TouchgateClient", "UpdateStore", "CSQLite"],
      path: "Benchmarks", swiftSettings: strict),

    // Values only: milliseconds, no kernel, no root.
    tests(.unit, "TouchModelTests", ["Timeline", "TouchModel", "TouchScripts"], exclude: ["Cases"]),
    tests(.unit, "TouchReadingTests", ["Timeline", "TouchModel", "TouchReading"]),
    tests(.unit, "TimelineTests", ["Timeline"]),
    tests(.unit, "DeviceRulesTests", ["Timeline", "TouchModel", "DeviceRules"]),
    tests(.unit, "GatingTests", ["Timeline", "TouchModel", "Gating"]),
    tests(.unit, "SchedulingTests", ["Seeded", "Timeline", "TouchModel", "Gating", "Scheduling"]),
    tests(.unit, "HapticsTests", ["Timeline", "Haptics"]),
    tests(.unit, "HTTPTypesTests", ["HTTPTypes"]),
    tests(
      .unit, "ControlAPITests",
      [
        "Timeline", "TouchModel", "Gating", "Scheduling", "TouchgateAPI", "HTTPTypes", "ControlAPI", "PlainWords",
        "ProjectFiles",
      ]),
    tests(.unit, "ArchitectureTests", ["ProjectFiles"]),
    tests(
      .unit, "HandlersTests",
      ["Timeline", "Scheduling", "SystemBus", "ServiceLog", "Handlers", "SimulatedSystemd"]),
    tests(
      .unit, "ShellTests",
      [
        "Timeline", "TouchModel", "Gating", "Linux", "Scheduling", "HTTPTypes", "ControlAPI", "Haptics", "EventLoop",
        "SystemBus", "Evdev", "Recordings", "DeviceRules", "TouchDevices", "Handlers", "ServiceConfiguration",
        "ServiceLog", "UpdateStore", "Service", "SimulatedSystemd", "TouchgateAPI", "Seeded",
      ]),
    tests(.unit, "RacingTests", ["Racing", "Timeline"]),

    // Pipes, socketpairs, temporary folders, files of the project.
    tests(.integration, "LinuxTests", ["Linux", "Timeline"]),
    tests(
      .integration, "HandlerProcessTests",
      ["Timeline", "Linux", "Scheduling", "EventLoop", "ServiceLog", "Handlers"]),
    tests(.integration, "EventLoopTests", ["Timeline", "Linux", "EventLoop", "SystemBus"]),
    tests(.integration, "RecordingsTests", ["Seeded", "ProjectFiles", "Timeline", "TouchModel", "Recordings"]),
    tests(
      .integration, "ConformanceTests",
      ["Seeded", "ProjectFiles", "Timeline", "TouchModel", "TouchReading", "Recordings", "Evdev"]),
    tests(
      .integration, "TouchDevicesTests",
      [
        "Timeline", "TouchModel", "TouchReading", "Gating", "Recordings", "DeviceRules", "Evdev", "EventLoop",
        "ServiceLog", "TouchDevices",
      ]),
    tests(
      .integration, "UpdateStoreTests",
      ["Timeline", "Linux", "Scheduling", "UpdateStore", "CSQLite", "PlainWords"]),
    tests(
      .integration, "SocketServerTests",
      ["Timeline", "TouchgateAPI", "HTTPTypes", "SocketServer", "TouchgateClient", "PlainWords"]),
    tests(
      .integration, "TouchgateCommandsTests",
      ["Timeline", "Linux", "TouchgateAPI", "TouchgateClient", "TouchgateCommands", "ProjectFiles", "PlainWords"]),
    tests(
      .integration, "ServiceConfigurationTests",
      [
        "Timeline", "TouchModel", "Gating", "Scheduling", "Haptics", "DeviceRules", "ServiceConfiguration", "Linux",
        "ProjectFiles", "PlainWords",
      ]),
    tests(
      .integration, "ServiceTests",
      [
        "Timeline", "Linux", "ServiceLog", "Service", "ProjectFiles",
      ]),

    // A kernel of their own (the test VM), or the installed programs; skipped elsewhere (make test runs them).
    tests(
      .system, "VirtualTouchTests", ["VirtualTouch", "Linux", "Recordings", "TouchModel", "Timeline", "ProjectFiles"]),
    tests(.system, "CrashTests", ["Seeded", "TouchgateAPI", "TouchgateClient"]),
    tests(
      .system, "VMTests",
      [
        "VirtualTouch", "VirtualVibrator", "Racing", "Linux", "Haptics", "TouchScripts", "TouchgateAPI",
        "TouchgateClient",
        "Timeline", "TouchModel", "TouchReading", "Evdev", "Recordings", "CLibevdev", "ProjectFiles",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
