#pragma once
// What Swift's importer drops: ioctl numbers (function-like macros), variadic calls, and calls of GNU only.
#include <linux/input.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "ForceFeedback.h"

/// EVIOCGMTSLOTS: `values[0]` is the code asked for, `values[1...]` the answer, one a slot.
static inline int tg_evdev_mt_slots(int fd, int *values, unsigned count) {
  return ioctl(fd, EVIOCGMTSLOTS(count * sizeof(int)), values);
}
/// EVIOCGKEY: the key bitmap, `bytes` long.
static inline int tg_evdev_keys(int fd, unsigned char *bitmap, unsigned bytes) {
  return ioctl(fd, EVIOCGKEY(bytes), bitmap);
}
/// EVIOCGABS: one axis with its current value.
static inline int tg_evdev_abs(int fd, unsigned axis, struct input_absinfo *info) {
  return ioctl(fd, EVIOCGABS(axis), info);
}
static inline int tg_evdev_set_clock(int fd, int clock) { return ioctl(fd, EVIOCSCLOCKID, &clock); }
/// EVIOCSMASK: the codes of one event type that this descriptor wants; `bitmap` is `bytes` long.
static inline int tg_evdev_set_mask(int fd, unsigned type, const unsigned char *bitmap, unsigned bytes) {
  struct input_mask mask = {.type = type, .codes_size = bytes, .codes_ptr = (unsigned long)bitmap};
  return ioctl(fd, EVIOCSMASK, &mask);
}
static inline int tg_evdev_grab(int fd, int on) { return ioctl(fd, EVIOCGRAB, on ? (void *)1 : (void *)0); }

static inline int tg_set_nonblocking(int fd) { return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

/// SO_PEERCRED: who is at the other end, from the kernel.
static inline int tg_peer_credentials(int fd, int *pid, unsigned *uid, unsigned *gid) {
  struct { int pid; unsigned uid; unsigned gid; } cred;
  socklen_t size = sizeof cred;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0) return -1;
  *pid = cred.pid; *uid = cred.uid; *gid = cred.gid;
  return 0;
}

/// SO_PEERGROUPS: the supplementary groups of who is at the other end, as they were when it connected; their number,
/// or -1 and ERANGE where there are more than `room`.
static inline int tg_peer_groups(int fd, unsigned *groups, unsigned room) {
  socklen_t size = room * sizeof *groups;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0) return -1;
  return size / sizeof *groups;
}

/// memfd_create: a file in memory, close-on-exec.
static inline int tg_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */); }

/// posix_spawn in a process group of its own, with default signals and an empty mask (a child would inherit the blocked
/// signals of sd-event and ignore SIGTERM), standard descriptors and `lock` as descriptor 3, and no other.
int tg_spawn(pid_t *pid, const char *program, char *const argv[], char *const envp[],
                           int input, int output, int lock);

/// Opens (or makes) a file and takes its lock, which goes with the open file: a child that inherits the descriptor
/// holds the lock after us. -1 and EWOULDBLOCK: somebody holds it.
static inline int tg_open_lock(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
    int code = errno;
    close(fd);
    errno = code;
    return -1;
  }
  return fd;
}

/// adjtimex: 1 if the clock is synchronized, 0 if not; -1 and errno if the question is forbidden.
static inline int tg_clock_is_synchronized(void) {
  struct timex answer = {0};
  if (adjtimex(&answer) < 0) {
    return -1;
  }
  return (answer.status & STA_UNSYNC) == 0;
}

/// pidfd_open: a descriptor of a process that is readable once it has ended; close-on-exec. -1 and ESRCH: there is none.
static inline int tg_process(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0u); }

/// The environment of the process; null-terminated.
static inline char **tg_environment(void) {
  extern char **environ;
  return environ;
}

/// timerfd on CLOCK_MONOTONIC, off.
static inline int tg_timer_new(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }
/// Due once at so many nanoseconds of CLOCK_MONOTONIC.
static inline int tg_timer_arm(int fd, long long due) {
  struct itimerspec time = {.it_value = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000}};
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, 0);
}

/// pipe2 with both ends close-on-exec: the reading one first.
int tg_pipe(int ends[2]);

/// A descriptor that does not block and reports these signals (signalfd(2)); -1 if that fails.
static inline int tg_signal_descriptor(const sigset_t *signals) {
  return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}
/// The number of the next signal; 0: there is none now.
static inline int tg_next_signal(int fd) {
  struct signalfd_siginfo information;
  return read(fd, &information, sizeof information) == (ssize_t)sizeof information ? (int)information.ssi_signo : 0;
}
