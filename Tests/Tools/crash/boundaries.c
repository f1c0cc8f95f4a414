// Ends the service by SIGKILL at one of its boundaries: before, in the middle of or after a call that others can see
// (LD_PRELOAD; the service is the one that is installed and knows nothing of it).
//
//   CRASH_KIND=K    at which kind of boundary: "fdatasync queue.sqlite-wal after"; unset: never
//   CRASH_AT=N      at the N-th of that kind since the start
//   CRASH_TRACE=F   a line is appended there that says so
//   CRASH_POWER=N   the end is a power failure: writes to the queue that were not synchronized may be missing then, each with
//                   three chances in four (N: seed of the dice)
//   CRASH_UNSYNCED=1   calls that synchronize the queue do nothing, as with PRAGMA synchronous = OFF
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static long at, count;
static const char *kind;
static unsigned long power_dice;
static int has_power_failures, is_unsynced;

__attribute__((constructor)) static void begin(void) {
  // The handlers inherit the environment.
  const char *text = getenv("CRASH_AT");
  if (strcmp(program_invocation_short_name, "touchgated") != 0) return;
  kind = getenv("CRASH_KIND");
  at = text ? atol(text) : 1;
  has_power_failures = getenv("CRASH_POWER") != NULL;
  if (has_power_failures) power_dice = strtoul(getenv("CRASH_POWER"), NULL, 10);
  is_unsynced = getenv("CRASH_UNSYNCED") != NULL;
}

static const char *name_of(int fd, char *buffer, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, buffer, size - 1);
  if (length < 0) return "?";
  buffer[length] = 0;
  const char *name = strrchr(buffer, '/');
  if (name) name++; else name = buffer;
  if (strncmp(name, "socket:", 7) == 0) return "socket";
  if (strncmp(name, "memfd:", 6) == 0) return "payload";
  if (strncmp(name, "handler-", 8) == 0) return "handler.lock";
  return name;
}

/// Whether this is where it dies.
static int is_here(const char *call, const char *name, const char *where) {
  char text[300];
  snprintf(text, sizeof text, "%s %s %s", call, name, where);
  return strcmp(text, kind) == 0 && ++count == at;
}

// --- Power failures -------------------------------------------------------------------------------------------------

/// A write to the queue's database or log that was not synchronized: what was there before it.
struct undo {
  struct undo *earlier;
  dev_t device;
  ino_t file;
  int fd;
  off64_t offset, size_before;
  size_t length;
  char bytes[];
};

static struct undo *undos;

static int is_queue(const char *name) { return strcmp(name, "queue.sqlite") == 0 || strcmp(name, "queue.sqlite-wal") == 0; }

/// A descriptor of the file that stays open: closing one would drop the process's locks on the file.
static int own_descriptor(int fd, const struct stat *status) {
  static struct { dev_t device; ino_t file; int fd; } known[64];
  static size_t count;
  for (size_t i = 0; i < count; i++)
    if (known[i].device == status->st_dev && known[i].file == status->st_ino) return known[i].fd;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  int own = (int)syscall(SYS_open, link, O_RDWR | O_CLOEXEC);
  if (own < 0 || count == 64) abort();
  known[count].device = status->st_dev;
  known[count].file = status->st_ino;
  known[count++].fd = own;
  return own;
}

/// Before a write: keeps what it replaces.
static void keep(int fd, const char *name, size_t length, off64_t offset) {
  struct stat status;
  if (!has_power_failures || !is_queue(name) || fstat(fd, &status) != 0) return;
  struct undo *undo = malloc(sizeof *undo + length);
  if (!undo) abort();
  *undo = (struct undo){undos, status.st_dev, status.st_ino, own_descriptor(fd, &status), offset, status.st_size, 0};
  ssize_t got = pread(undo->fd, undo->bytes, length, offset);
  undo->length = got > 0 ? (size_t)got : 0;
  undos = undo;
}

/// The file is synchronized: its writes are kept.
static void forget(int fd) {
  struct stat status;
  if (!undos || fstat(fd, &status) != 0) return;
  for (struct undo **link = &undos; *link;) {
    struct undo *undo = *link;
    if (undo->device == status.st_dev && undo->file == status.st_ino) {
      *link = undo->earlier;
      free(undo);
    } else link = &undo->earlier;
  }
}

static void lose_power(void) {
  for (struct undo *undo = undos; undo; undo = undo->earlier) {
    power_dice = power_dice * 6364136223846793005u + 1442695040888963407u;
    if (power_dice >> 62 == 0) continue;
    syscall(SYS_pwrite64, undo->fd, undo->bytes, undo->length, undo->offset);
    syscall(SYS_ftruncate, undo->fd, undo->size_before);
  }
}

static void end(void) {
  lose_power();
  const char *path = getenv("CRASH_TRACE");
  if (path) {
    int fd = (int)syscall(SYS_open, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char line[300];
    int length = snprintf(line, sizeof line, "%s\n", kind);
    if (fd >= 0) syscall(SYS_write, fd, line, length);
  }
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

static void boundary(const char *call, const char *name, const char *where) {
  if (kind && is_here(call, name, where)) end();
}

#define REAL(name) \
  static typeof(name) *real; \
  if (!real) real = (typeof(name) *)dlsym(RTLD_NEXT, #name)

#define AROUND(call, fd_name, expression) \
  char buffer[4096]; \
  (void)buffer; \
  boundary(call, fd_name, "before"); \
  __auto_type result = (expression); \
  boundary(call, fd_name, "after"); \
  return result

#define OF(fd) name_of(fd, buffer, sizeof buffer)

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
  REAL(pwrite64);
  char buffer[4096];
  boundary("pwrite", OF(fd), "before");
  keep(fd, OF(fd), size, offset);
  if (kind && is_here("pwrite", OF(fd), "middle")) {
    real(fd, bytes, size / 2, offset);
    end();
  }
  ssize_t result = real(fd, bytes, size, offset);
  boundary("pwrite", OF(fd), "after");
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return pwrite64(fd, bytes, size, offset); }
/// What synchronizes a file: `real`, unless that is to be without effect.
static int synchronize(int fd, const char *name, int (*real)(int)) {
  if (is_unsynced && is_queue(name)) return 0;
  int result = real(fd);
  if (result == 0) forget(fd);
  return result;
}

int fdatasync(int fd) { REAL(fdatasync); AROUND("fdatasync", OF(fd), synchronize(fd, OF(fd), real)); }
int fsync(int fd) { REAL(fsync); AROUND("fsync", OF(fd), synchronize(fd, OF(fd), real)); }
int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  char name[4096];
  struct stat status;
  // Of a file that becomes shorter, its end.
  if (fstat(fd, &status) == 0)
    keep(fd, name_of(fd, name, sizeof name), status.st_size > size ? (size_t)(status.st_size - size) : 0, size);
  AROUND("ftruncate", OF(fd), real(fd, size));
}
int posix_fallocate(int fd, off_t from, off_t size) {
  REAL(posix_fallocate);
  char name[4096];
  keep(fd, name_of(fd, name, sizeof name), 0, 0);
  AROUND("fallocate", OF(fd), real(fd, from, size));
}
int flock(int fd, int operation) { REAL(flock); AROUND("flock", OF(fd), real(fd, operation)); }
ssize_t send(int fd, const void *bytes, size_t size, int flags) {
  REAL(send); AROUND("send", OF(fd), real(fd, bytes, size, flags));
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  REAL(sendmsg); AROUND("sendmsg", OF(fd), real(fd, message, flags));
}
ssize_t recv(int fd, void *bytes, size_t size, int flags) {
  REAL(recv); AROUND("recv", OF(fd), real(fd, bytes, size, flags));
}
int unlink(const char *path) {
  REAL(unlink);
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  if (strncmp(name, "handler-", 8) == 0) name = "handler.lock";
  AROUND("unlink", name, real(path));
}
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  REAL(posix_spawn); AROUND("spawn", "handler", real(pid, path, actions, attributes, arguments, environment));
}
int waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
  REAL(waitid); AROUND("waitid", "handler", real(type, id, info, options));
}
