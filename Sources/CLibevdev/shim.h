#pragma once
#if __has_include(<libevdev/libevdev.h>)
#include <libevdev/libevdev.h>
#include <libevdev/libevdev-uinput.h>
#else
#error "touchgate: <libevdev/libevdev.h> is missing. Install all libraries with: sudo apt-get install --no-install-recommends pkg-config libevdev-dev libudev-dev libsystemd-dev libsqlite3-dev libmicrohttpd-dev"
#endif
