#pragma once
// For the haptics thread: force feedback (linux/input.h), a doorbell, and file descriptors of its own.
#include <linux/input.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// EVIOCGBIT(EV_FF): the effects that the device knows, `bytes` long.
static inline int tg_ff_bits(int fd, unsigned char *bitmap, unsigned bytes) {
  return ioctl(fd, EVIOCGBIT(EV_FF, bytes), bitmap);
}
/// EVIOCGEFFECTS: how many effects it keeps.
static inline int tg_ff_slots(int fd, int *slots) { return ioctl(fd, EVIOCGEFFECTS, slots); }

/// EVIOCSFF: `*id` is the effect to overwrite, or -1 and then the new one. `waveform` 0: FF_RUMBLE, else FF_PERIODIC.
/// Milliseconds. Can block for 30 s, also with O_NONBLOCK.
static inline int tg_ff_upload(int fd, short *id, unsigned short waveform, unsigned short magnitude,
                               unsigned short length, unsigned short delay) {
  struct ff_effect effect = {.id = *id, .replay = {.length = length, .delay = delay}};
  if (waveform == 0) {
    effect.type = FF_RUMBLE;
    effect.u.rumble.strong_magnitude = magnitude;
  } else {
    effect.type = FF_PERIODIC;
    effect.u.periodic.waveform = waveform;
    effect.u.periodic.period = 6;  // about 170 Hz, where small actuators resonate
    effect.u.periodic.magnitude = (short)magnitude;
  }
  int result = ioctl(fd, EVIOCSFF, &effect);
  if (result >= 0) *id = effect.id;
  return result;
}

/// A counter to wait for: readable once something was added; close-on-exec, does not block.
static inline int tg_doorbell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// The calling thread gets file descriptors of its own, with only these two of those that are open: a system call in
/// which it hangs then keeps no socket and no lock of the process from being closed. -1: it shares them as before.
static inline int tg_own_descriptors(int low, int high) {
  if (syscall(SYS_unshare, 0x400 /* CLONE_FILES */) != 0) return -1;
#ifdef SYS_close_range
  if (low > 3) syscall(SYS_close_range, 3, low - 1, 0);
  if (high > low + 1) syscall(SYS_close_range, low + 1, high - 1, 0);
  if (syscall(SYS_close_range, high + 1, ~0u, 0) == 0) return 0;
#endif
  for (int fd = 3; fd < 4096; fd++) if (fd != low && fd != high) close(fd);
  return 0;
}
