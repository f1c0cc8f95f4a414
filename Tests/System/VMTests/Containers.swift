import Foundation

// Surroundings for a service under test: commands that replace themselves with the service.

private func inMountNamespace(_ preparation: String) -> [String] {
  ["/usr/bin/unshare", "--mount", "--propagation=private", "/bin/sh", "-c", preparation + #" && exec "$@""#, "-"]
}

/// A mount namespace without /run/udev.
let withoutUdev = inMountNamespace("mount -t tmpfs none /run/udev")

/// A network namespace of its own: no events of udev arrive.
let withoutUdevEvents = ["/usr/bin/unshare", "--net"]

/// Another boot, by its id.
func inBoot(_ boot: String, _ service: ServiceUnderTest) throws -> [String] {
  let file = "\(service.folder)/boot-\(boot)"
  try "\(boot)\n".write(toFile: file, atomically: true, encoding: .utf8)
  return inMountNamespace("mount --bind \(file) /proc/sys/kernel/random/boot_id")
}
