#include "CVirtualVibrator.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int failed(int fd) {
  int code = errno;
  close(fd);
  errno = code;
  return -1;
}

int vv_create(const char *name, int product, int slots, const unsigned short *codes, int count, char *sysname, int room) {
  int fd = open("/dev/uinput", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL, .vendor = 0x1209, .product = (unsigned short)product},
                               .ff_effects_max = (unsigned)slots};
  snprintf(setup.name, sizeof setup.name, "%s", name);
  if (ioctl(fd, UI_SET_EVBIT, EV_FF) < 0) return failed(fd);
  for (int i = 0; i < count; i++) if (ioctl(fd, UI_SET_FFBIT, codes[i]) < 0) return failed(fd);
  if (ioctl(fd, UI_DEV_SETUP, &setup) < 0 || ioctl(fd, UI_DEV_CREATE) < 0) return failed(fd);
  if (ioctl(fd, UI_GET_SYSNAME(room), sysname) < 0) return failed(fd);
  return fd;
}

int vv_destroy(int fd) { return ioctl(fd, UI_DEV_DESTROY); }

int vv_answer_upload(int fd, int request, int result, struct vv_effect *effect) {
  struct uinput_ff_upload upload = {.request_id = (unsigned)request};
  if (ioctl(fd, UI_BEGIN_FF_UPLOAD, &upload) < 0) return -1;
  const struct ff_effect *e = &upload.effect;
  int rumble = e->type == FF_RUMBLE;
  *effect = (struct vv_effect){
      .id = e->id, .type = e->type, .length = e->replay.length, .delay = e->replay.delay,
      .waveform = rumble ? 0 : e->u.periodic.waveform,
      .magnitude = rumble ? e->u.rumble.strong_magnitude : e->u.periodic.magnitude,
      .weak = rumble ? e->u.rumble.weak_magnitude : 0};
  upload.retval = result;
  return ioctl(fd, UI_END_FF_UPLOAD, &upload);
}

int vv_answer_erase(int fd, int request, int *id) {
  struct uinput_ff_erase erase = {.request_id = (unsigned)request};
  if (ioctl(fd, UI_BEGIN_FF_ERASE, &erase) < 0) return -1;
  *id = (int)erase.effect_id;
  erase.retval = 0;
  return ioctl(fd, UI_END_FF_ERASE, &erase);
}

int vv_pad_create(void) {
  // A gamepad with eight buttons, report 1.
  static const unsigned char descriptor[] = {
      0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01, 0x05, 0x09, 0x19, 0x01, 0x29, 0x08,
      0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0xc0};
  int fd = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  struct uhid_event event = {.type = UHID_CREATE2};
  snprintf((char *)event.u.create2.name, sizeof event.u.create2.name, "Virtual Pad");
  event.u.create2.rd_size = sizeof descriptor;
  event.u.create2.bus = BUS_BLUETOOTH;
  event.u.create2.vendor = 0x045e;
  event.u.create2.product = 0x02fd;
  memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
  if (write(fd, &event, sizeof event) < 0) return failed(fd);
  return fd;
}

int vv_pad_read(int fd, unsigned char *data, int room, int *size) {
  struct uhid_event event;
  if (read(fd, &event, sizeof event) < 0) return -1;
  if (event.type == UHID_GET_REPORT) {
    struct uhid_event answer = {.type = UHID_GET_REPORT_REPLY};
    answer.u.get_report_reply.id = event.u.get_report.id;
    answer.u.get_report_reply.err = EIO;
    return write(fd, &answer, sizeof answer) < 0 ? -1 : 0;
  }
  if (event.type != UHID_OUTPUT) return 0;
  *size = event.u.output.size < room ? event.u.output.size : room;
  memcpy(data, event.u.output.data, (size_t)*size);
  return 1;
}
