#pragma once
#if __has_include(<systemd/sd-daemon.h>)
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-id128.h>
#else
#error "touchgate: <systemd/sd-daemon.h> is missing. Install all libraries with: sudo apt-get install --no-install-recommends pkg-config libevdev-dev libudev-dev libsystemd-dev libsqlite3-dev libmicrohttpd-dev"
#endif
