#define _GNU_SOURCE  // pipe2, posix_spawn_file_actions_addchdir_np and _addclosefrom_np
#include "CLinux.h"

int tg_spawn(pid_t *pid, const char *program, char *const argv[], char *const envp[],
                           int input, int output, int lock) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawn_file_actions_adddup2(&files, input, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, output, 2);
  posix_spawn_file_actions_adddup2(&files, lock, 3);
  posix_spawn_file_actions_addchdir_np(&files, "/");
  posix_spawn_file_actions_addclosefrom_np(&files, 4);
  int result = posix_spawn(pid, program, &files, &attributes, argv, envp);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return result;
}

int tg_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
