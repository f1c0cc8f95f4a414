import CLinux
import Glibc
import Linux
public import Scheduling
import Timeline

/// Everything that an `Exec=` handler needs, made before the last look: the payload on standard input, the locked
/// descriptor, the arguments and the environment. After the last look only the spawn remains.
public struct PreparedProcess: ~Copyable {
  let program: String
  private let arguments: CStringArray
  private let environment: CStringArray
  private let input: FileDescriptor
  private let lock: FileDescriptor
  private let lockPath: String
  private let output: FileDescriptor
  private let outputEnd: FileDescriptor

  /// `command`: the program with its absolute path, and its arguments. `lockPath`: see `HandlerLock`. Throws
  /// `HandlersError`; nothing is left behind then.
  public init(
    command: [String], update: Update, attempt: Int, environment: HandlerEnvironment, payload: [UInt8], lockPath: String
  ) throws(HandlersError) {
    let file = try Self.file(of: payload)
    var ends: [CInt] = [0, 0]
    if tg_pipe(&ends) != 0 { throw HandlersError("pipe: \(Errno())") }
    let output = try Self.own(ends[0])
    let outputEnd = try Self.own(ends[1])
    _ = tg_set_nonblocking(output.raw)
    let lock = try HandlerLock.take(lockPath)
    program = command.first ?? ""
    arguments = CStringArray(command)
    self.environment = CStringArray(environment.entries(update, attempt: attempt))
    self.lockPath = lockPath
    input = file
    self.lock = lock
    self.output = output
    self.outputEnd = outputEnd
  }

  private static func own(_ descriptor: CInt) throws(HandlersError) -> FileDescriptor {
    do throws(Errno) { return try FileDescriptor(owning: descriptor) } catch { throw HandlersError("pipe: \(error)") }
  }

  /// Starts the program in a process group of its own; returns its pid and the end of the pipe that its output comes
  /// from. The child holds the lock from now on, and its file names the child. Throws `HandlersError` if it cannot be
  /// started.
  consuming func spawn(boot: String, now: Instant) throws(HandlersError) -> (pid: pid_t, output: HandlerPipe) {
    var child: pid_t = 0
    let code = tg_spawn(
      &child, program, arguments.pointers, environment.pointers, input.raw, outputEnd.raw, lock.raw)
    if code != 0 {
      unlink(lockPath)
      throw HandlersError("cannot start \(program): \(Errno(code))")
    }
    // On a full disk the file stays empty: then a later run of the service knows only that the lock is held.
    if let identity = HandlerIdentity(of: child, started: now) {
      try? lock.write(identity.text(boot: boot).utf8)
    }
    return (child, HandlerPipe(output))
  }

  /// The last look has sent the update back: nothing is started.
  public consuming func discard() { unlink(lockPath) }

  /// A file in memory, read from its beginning: no pipe that could block either side. Without a payload, nothing is
  /// copied.
  private static func file(of payload: [UInt8]) throws(HandlersError) -> FileDescriptor {
    do throws(Errno) {
      if payload.isEmpty { return try FileDescriptor(opening: "/dev/null", O_RDONLY) }
      let file = try FileDescriptor(owning: tg_memory_file("touchgate-payload"))
      try file.write(payload)
      lseek(file.raw, 0, SEEK_SET)
      return file
    } catch {
      throw HandlersError("payload: \(error)")
    }
  }
}

/// The reading end of a handler's output; closed with the object.
final class HandlerPipe {
  private let file: FileDescriptor

  init(_ file: consuming FileDescriptor) { self.file = file }

  var raw: CInt { file.raw }
}
