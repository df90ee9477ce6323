/*
 * Reads the output of another program, for benchmarks that run beside it.
 */
#ifndef SD_BENCH_OUTPUT_H
#define SD_BENCH_OUTPUT_H

#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Both outputs of argv[0], found as a shell does, as a string that is cut at `room`. 0; -1 when it
 * could not run, or failed. */
static inline int bench_output(const char *const *argv, char *out, size_t room)
{
	posix_spawn_file_actions_t actions;
	int fd[2], status = -1;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	if (pipe(fd) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
	posix_spawn_file_actions_adddup2(&actions, fd[1], 2);
	posix_spawn_file_actions_addclose(&actions, fd[0]);
	/* posix_spawnp changes no argument */
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char **)(uintptr_t)argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(fd[1]);
	while (n < room - 1 && (got = read(fd[0], out + n, room - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = '\0';
	close(fd[0]);
	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 ? -1 : 0;
}

#endif
