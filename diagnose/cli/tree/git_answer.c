#include "tree/git_answer.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MOST ((size_t)64 << 20)

/* All that comes until its end. 0 or -errno. */
static int read_all(int fd, char **out, size_t *size)
{
	FILE *const f = open_memstream(out, size);
	int rc = f ? 0 : -ENOMEM;
	ssize_t n = 1;

	while (!rc && n) {
		char part[4096];

		n = read(fd, part, sizeof part);
		if (n < 0 && errno != EINTR)
			rc = -errno;
		else if (n > 0 && fwrite(part, 1, (size_t)n, f) != (size_t)n)
			rc = -ENOMEM;
		else if (ftell(f) > (long)ANSWER_MOST)
			rc = -EFBIG;
	}
	if (f && fclose(f) != 0 && !rc)
		rc = -ENOMEM;
	return rc;
}

static pid_t start(const char *const *words, int out)
{
	posix_spawn_file_actions_t actions;
	char **argv;
	pid_t pid = -1;

	memcpy(&argv, &words, sizeof argv);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, "git", &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

int sd_git_answer(const char *folder, const char *const *words, char **out, size_t *size)
{
	const char *all[8 + SD_GIT_WORDS] = {"git", "-c", "core.fsmonitor=false", "-C", folder,
		"--literal-pathspecs", "--no-optional-locks"};
	int pipes[2], status = -1, rc;
	pid_t pid;

	*out = NULL;
	*size = 0;
	for (size_t i = 0; i < SD_GIT_WORDS && words[i]; i++)
		all[7 + i] = words[i];
	if (pipe2(pipes, O_CLOEXEC) != 0)
		return -errno;
	pid = start(all, pipes[1]);
	close(pipes[1]);
	rc = pid < 0 ? -ENOENT : read_all(pipes[0], out, size);
	close(pipes[0]);
	while (pid >= 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!rc && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		rc = -ENOENT;
	if (rc) {
		free(*out);
		*out = NULL;
	}
	return rc;
}
