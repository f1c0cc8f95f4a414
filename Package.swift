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

/// A C library from Debian: module map and header in `Sources/NAME`. A missing one is reported by the header
/// itself with the apt line of the README.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
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
    module("Gating", ["Timeline", "TouchModel"]),
    module("Scheduling", ["Timeline"]),
    module("TouchgateAPI", ["Timeline"]),
    module("Haptics", ["Timeline"]),

    // C: what Debian ships, and the shims for what the importer drops.
    .target(name: "CLinux"),
    library("CLibevdev", pkgConfig: "libevdev", apt: "libevdev-dev"),
    library("CLibudev", pkgConfig: "libudev", apt: "libudev-dev"),
    library("CLibsystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),

    // Edge: the only modules that see C.
    module("EventLoop", ["Timeline", "CLinux", "CLibsystemd"]),
    module("SystemBus", ["Timeline", "EventLoop", "CLibsystemd"]),
    module("Evdev", ["Timeline", "TouchModel", "CLinux", "CLibevdev", "CLibudev"]),
    module("ForceFeedback", ["Timeline", "Haptics", "CLinux"]),
    module("Recordings", ["Timeline", "TouchModel"]),
    module("UpdateStore", ["Timeline", "Scheduling", "CSQLite"]),
    module("SocketServer", ["Timeline", "TouchgateAPI", "CLinux", "CMicrohttpd"]),
    module(
      "Service",
      [
        "Timeline", "TouchModel", "Gating", "Scheduling", "TouchgateAPI", "EventLoop", "SystemBus", "Evdev",
        "Recordings", "UpdateStore", "SocketServer", "Haptics", "ForceFeedback", "CLinux", "CLibsystemd",
      ], embedding: ["Resources/openapi.yaml"]),
    module("TouchgateClient", ["Timeline", "TouchgateAPI"]),
    module("TouchgateCommands", ["Timeline", "TouchgateAPI", "TouchgateClient"]),

    .executableTarget(name: "touchgated", dependencies: ["Service"], swiftSettings: strict),
    .executableTarget(name: "touchgate", dependencies: ["TouchgateCommands"], swiftSettings: strict),

    // Test tools: virtual touchscreens, for tests and for developers (Tests/VirtualTouch/README.md).
    .target(
      name: "VirtualTouch", dependencies: ["CLinux", "CLibevdev", "Recordings", "TouchModel", "Timeline"],
      path: "Tests/VirtualTouch", exclude: ["README.md"], swiftSettings: strict),
    .executableTarget(
      name: "touchplay", dependencies: ["VirtualTouch"], path: "Tests/touchplay", swiftSettings: strict),

    // Random numbers from a seed, for tests.
    .target(name: "Seeded", path: "Tests/Seeded", swiftSettings: strict),
    // Touch scripts as values, for the tracker and for the service in the VM.
    .target(name: "TouchScripts", dependencies: ["TouchModel"], path: "Tests/TouchScripts", swiftSettings: strict),
    // What a long queue costs: make bench.
    .executableTarget(
      name: "queuebench",
      dependencies: ["Timeline", "Scheduling", "TouchgateAPI", "TouchgateClient", "UpdateStore", "CSQLite"],
      path: "Benchmarks", swiftSettings: strict),
    // Virtual vibrators, for tests.
    .target(name: "CVirtualVibrator", path: "Tests/CVirtualVibrator"),
    .target(
      name: "VirtualVibrator", dependencies: ["CVirtualVibrator", "Timeline"], path: "Tests/VirtualVibrator",
      swiftSettings: strict),
    // Who races the service, and who judges the race (Tests/racer/README.md).
    .target(
      name: "Racing", dependencies: ["CLinux", "Seeded", "Timeline"], path: "Tests/Racing", swiftSettings: strict),
    .executableTarget(
      name: "racer", dependencies: ["Racing", "VirtualTouch", "Timeline"], path: "Tests/racer",
      exclude: ["README.md", "stamp.c"], swiftSettings: strict),

    // Pure tests: milliseconds, no kernel, no root.
    tests("TouchModelTests", ["Timeline", "TouchModel", "TouchScripts"], exclude: ["Cases"]),
    tests("TimelineTests", ["Timeline"]),
    tests("GatingTests", ["Timeline", "TouchModel", "Gating"]),
    tests("SchedulingTests", ["Seeded", "Timeline", "TouchModel", "Gating", "Scheduling"]),
    tests("HapticsTests", ["Timeline", "Haptics"]),
    tests("ArchitectureTests", []),
    tests("RacingTests", ["Racing", "Timeline"]),

    // Pipes, socketpairs, temporary folders.
    tests("RecordingsTests", ["Seeded", "Timeline", "TouchModel", "Recordings"]),
    tests("ConformanceTests", ["Seeded", "Timeline", "TouchModel", "Recordings", "Evdev"]),
    tests("UpdateStoreTests", ["Timeline", "Scheduling", "UpdateStore", "CSQLite"]),
    tests("SocketServerTests", ["Timeline", "TouchgateAPI", "SocketServer", "TouchgateClient"]),
    tests("TouchgateCommandsTests", ["Timeline", "TouchgateAPI", "TouchgateClient", "TouchgateCommands"]),
    tests(
      "ServiceTests",
      [
        "Gating", "Timeline", "Scheduling", "TouchgateAPI", "TouchgateClient", "SystemBus", "EventLoop", "Service",
        "UpdateStore",
      ]),
    tests("VirtualTouchTests", ["VirtualTouch", "Recordings", "TouchModel", "Timeline"]),

    // The installed service, killed again and again; skipped where Tests/run has not made its tools (make test-crash).
    tests("CrashTests", ["Seeded", "TouchgateAPI", "TouchgateClient"]),

    // The real programs on a real kernel; skipped outside the test VM (make test runs them inside).
    tests(
      "VMTests",
      [
        "VirtualTouch", "VirtualVibrator", "Racing", "Haptics", "TouchScripts", "TouchgateAPI", "TouchgateClient",
        "Timeline", "TouchModel", "Evdev", "Recordings", "CLibevdev",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
