// The handler of the crash test: writes down, durably and in one place for all, when it begins and when it ends.
//
//   begin ID LIFE ATTEMPT HANDLER PAYLOAD
//   end ID LIFE STATUS
//
// CRASH_LOG names the file, CRASH_LIFE the life of the service that started it. Parameters: SLEEP milliseconds; FAILS:
// the first so many attempts fail; LATER: asks once to be tried later.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file;

static const char *value(const char *name, const char *otherwise) {
  const char *text = getenv(name);
  return text ? text : otherwise;
}

static void note(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof line || write(file, line, length) != length || fsync(file) != 0) _exit(99);
}

int main(void) {
  file = open(value("CRASH_LOG", ""), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return 99;
  char payload[101] = "";
  int size = 0, got;
  while (size < 100 && (got = read(0, payload + size, 100 - size)) > 0) size += got;
  payload[strcspn(payload, " ")] = 0;
  const char *id = value("TOUCHGATE_CLIENT_ID", "?"), *life = value("CRASH_LIFE", "?");
  int attempt = atoi(value("TOUCHGATE_ATTEMPT", "0"));
  note("begin %s %s %d %s %s\n", id, life, attempt, value("TOUCHGATE_HANDLER", "?"), size ? payload : "-");
  usleep(1000 * atoi(value("TOUCHGATE_PARAM_SLEEP", "0")));
  int status = attempt <= atoi(value("TOUCHGATE_PARAM_FAILS", "0"));
  if (atoi(value("TOUCHGATE_PARAM_LATER", "0"))) {
    char mark[512];
    snprintf(mark, sizeof mark, "%s.later-%s", value("CRASH_LOG", ""), id);
    int fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) status = 75;
  }
  note("end %s %s %d\n", id, life, status);
  return status;
}
