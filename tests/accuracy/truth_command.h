/*
 * Runs scalediag and reads the JSON it prints.
 */
#ifndef SD_TRUTH_COMMAND_H
#define SD_TRUTH_COMMAND_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS 64

static inline char *slurp(int fd)
{
	size_t n = 0, room = 1 << 16;
	char *text = malloc(room);
	ssize_t got;

	while (text &&
		((got = read(fd, text + n, room - n - 1)) > 0 || (got < 0 && errno == EINTR))) {
		n += got > 0 ? (size_t)got : 0;
		if (room - n < 2) {
			char *const more = realloc(text, room *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	if (text)
		text[n] = '\0';
	return text;
}

/* The last line it said. */
static inline void put_error(const char *errors)
{
	FILE *const f = fopen(errors, "r");
	char line[512] = "";

	while (f && fgets(line, sizeof line, f))
		;
	if (f)
		fclose(f);
	printf("  failed: %s", *line ? line : "nothing said\n");
}

/* The user that scalediag runs as: SD_TRUTH_USER, a number; ours. */
static inline uid_t run_as(void)
{
	const char *const given = getenv("SD_TRUTH_USER");

	return given ? (uid_t)strtoul(given, NULL, 10) : geteuid();
}

static inline int become(uid_t user)
{
	return user == geteuid() ||
	       (setgroups(0, NULL) == 0 && setgid((gid_t)user) == 0 && setuid(user) == 0);
}

/* Its standard output as JSON; NULL when it failed. */
static inline json_t *run(char *const *argv, const char *errors)
{
	json_t *root = NULL;
	char *text;
	int out[2], status;
	pid_t child;

	if (pipe(out) || (child = fork()) < 0)
		return NULL;
	if (child == 0) {
		const int log = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (log < 0 || !become(run_as()) || dup2(out[1], STDOUT_FILENO) < 0 ||
			dup2(log, STDERR_FILENO) < 0)
			_exit(127);
		close(out[0]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	text = slurp(out[0]);
	close(out[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (text && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		root = json_loads(text, 0, NULL);
	if (!root)
		put_error(errors);
	free(text);
	return root;
}

struct command {
	char *argv[ARGUMENTS];
	size_t n;
	char words[1024];
};

static inline void add(struct command *c, const char *arg)
{
	if (c->n + 1 < ARGUMENTS)
		c->argv[c->n++] = (char *)(uintptr_t)arg;
	c->argv[c->n] = NULL;
}

static inline void add_words(struct command *c, const char *words)
{
	char *save = NULL;

	snprintf(c->words, sizeof c->words, "%s", words ? words : "");
	for (char *w = strtok_r(c->words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		add(c, w);
}

/* Is the word one of a list, whose words are separated by spaces? Without a list each is. */
static inline int listed(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = list; at && (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return 1;
	return !list || !*list;
}

static inline const char *scalediag(void)
{
	const char *const given = getenv("SCALEDIAG");

	return given ? given : "build/scalediag";
}

#endif
