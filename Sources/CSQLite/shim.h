#pragma once
#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#else
#error "touchgate: <sqlite3.h> is missing. Install all libraries with: sudo apt-get install --no-install-recommends pkg-config libevdev-dev libudev-dev libsystemd-dev libsqlite3-dev libmicrohttpd-dev"
#endif
