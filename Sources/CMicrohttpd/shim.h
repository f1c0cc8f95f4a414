#pragma once
#if __has_include(<microhttpd.h>)
#include <microhttpd.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#else
#error "touchgate: <microhttpd.h> is missing. Install all libraries with: sudo apt-get install --no-install-recommends pkg-config libevdev-dev libudev-dev libsystemd-dev libsqlite3-dev libmicrohttpd-dev"
#endif

// What Swift's importer drops: variadic calls, unions behind pointers. No logic.

/// Leaves %HH as it is, because what libmicrohttpd decodes itself can end at a %00 without anybody noticing.
static inline size_t tg_http_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context; (void)connection;
  return strlen(text);
}
/// A daemon without thread and without listening socket; `context` is passed to all four callbacks. `uri` is called
/// with the target of a request as it was sent, before anything is made of it.
static inline struct MHD_Daemon *tg_http_start(
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify,
    void *(*uri)(void *, const char *, struct MHD_Connection *), void *context, size_t memory_per_connection) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, context,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, notify, context,
      MHD_OPTION_URI_LOG_CALLBACK, uri, context,
      MHD_OPTION_UNESCAPE_CALLBACK, tg_http_keep_escapes, NULL,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_per_connection, MHD_OPTION_END);
}
static inline int tg_http_epoll_descriptor(struct MHD_Daemon *daemon) {
  return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}
static inline int tg_http_socket(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}
static inline size_t tg_http_header_size(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
}
