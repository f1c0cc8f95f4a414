// The handler of the race tests: its first act is to read CLOCK_MONOTONIC. In C, because it must start fast: what
// passes between the service's last look and this instant is the race window.
//   stamp FILE [MILLISECONDS]   appends "START END" in nanoseconds to FILE, after it has run so long
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long nanoseconds(struct timespec time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }

int main(int count, char **arguments) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (count < 2) return 2;
  long milliseconds = count > 2 ? atol(arguments[2]) : 0;
  struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&pause, NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  int file = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND, 0666);
  char line[64];
  int size = snprintf(line, sizeof line, "%lld %lld\n", nanoseconds(start), nanoseconds(end));
  return file >= 0 && write(file, line, size) == size ? 0 : 1;
}
