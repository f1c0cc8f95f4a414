#pragma once
// Virtual vibrators for tests: uinput's handshake for effects, and a gamepad on uhid.
#include <linux/uinput.h>

/// What a client uploaded.
struct vv_effect { int id; int type; int waveform; int magnitude; int weak; int length; int delay; };

/// A device with force feedback through /dev/uinput; `sysname` gets inputN. -1: errno.
int vv_create(const char *name, int product, int slots, const unsigned short *codes, int count, char *sysname, int room);
/// Takes the device away; whoever waits for an answer gets ENODEV.
int vv_destroy(int fd);
/// Answers an upload with `result` (0 or a negative errno) and tells what it was.
int vv_answer_upload(int fd, int request, int result, struct vv_effect *effect);
/// Answers an erasure and tells whose.
int vv_answer_erase(int fd, int request, int *id);

/// A gamepad 045e:02fd on Bluetooth, which hid-microsoft drives through ff-memless. -1: errno.
int vv_pad_create(void);
/// The next event of uhid. 1: an output report, its bytes in `data`, `size` long; 0: something else; -1: errno.
int vv_pad_read(int fd, unsigned char *data, int room, int *size);
