#pragma once
#if __has_include(<libudev.h>)
#include <libudev.h>
#else
#error "touchgate: <libudev.h> is missing. Install all libraries with: sudo apt-get install --no-install-recommends pkg-config libevdev-dev libudev-dev libsystemd-dev libsqlite3-dev libmicrohttpd-dev"
#endif
