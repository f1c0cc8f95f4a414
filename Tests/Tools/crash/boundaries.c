// Ends the service by SIGKILL at one of its boundaries: before, in the middle of or after a call that others can see
// (LD_PRELOAD; the service is the one that is installed and knows nothing of it).
//
//   CRASH_KIND=K    at which kind of boundary: "fdatasync queue.sqlite-wal after"; unset: never
//   CRASH_AT=N      at the N-th of that kind since the start
//   CRASH_TRACE=F   a line is appended there that says so
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

__attribute__((constructor)) static void begin(void) {
  // The handlers inherit the environment.
  const char *text = getenv("CRASH_AT");
  if (strcmp(program_invocation_short_name, "touchgated") != 0) return;
  kind = getenv("CRASH_KIND");
  at = text ? atol(text) : 1;
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

static void end(void) {
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
  if (kind && is_here("pwrite", OF(fd), "middle")) {
    real(fd, bytes, size / 2, offset);
    end();
  }
  ssize_t result = real(fd, bytes, size, offset);
  boundary("pwrite", OF(fd), "after");
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return pwrite64(fd, bytes, size, offset); }
int fdatasync(int fd) { REAL(fdatasync); AROUND("fdatasync", OF(fd), real(fd)); }
int fsync(int fd) { REAL(fsync); AROUND("fsync", OF(fd), real(fd)); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64); AROUND("ftruncate", OF(fd), real(fd, size)); }
int posix_fallocate(int fd, off_t from, off_t size) {
  REAL(posix_fallocate); AROUND("fallocate", OF(fd), real(fd, from, size));
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
