#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

/* 0, or why `path`, seen from `folder`, cannot be executed. */
static int look(int folder, const char *path)
{
	struct stat st;

	if (fstatat(folder, path, &st, 0) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return faccessat(folder, path, X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

/* Along PATH as execvp does: the first that can be executed; else the most telling fault. */
static int search(int folder, const char *name)
{
	const char *path = getenv("PATH");
	int rc = -ENOENT;

	if (!path)
		path = "/bin:/usr/bin";
	for (;;) {
		const size_t n = strcspn(path, ":");
		char full[PATH_MAX];
		int found = -ENOENT;

		if (snprintf(full, sizeof full, "%.*s%s%s", (int)n, path, n > 0 ? "/" : "", name) <
			(int)sizeof full)
			found = look(folder, full);
		if (found == 0)
			return 0;
		if (found == -EACCES)
			rc = found;
		path += n;
		if (!*path++)
			return rc;
	}
}

static void say_missing(const char *name, int here, const struct sd_sink *sink)
{
	char commands[256] = "";

	if (strchr(name, '/')) {
		sd_say(sink, SD_LEVEL_ERROR, "%s: no such program", name);
	} else if (here) {
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: no such program in PATH; the one in this folder is ./%s", name, name);
	} else {
		for (size_t i = 0; i < sd_command_count; i++) {
			const size_t used = strlen(commands);

			snprintf(commands + used, sizeof commands - used, "%s%s", i ? ", " : "",
				sd_commands[i].name);
		}
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: no such program in PATH, and no command of scalediag either (%s)",
			name, commands);
	}
}

static void say(const char *name, int rc, int here, const struct sd_sink *sink)
{
	if (rc == -ENOENT || rc == -ENOTDIR)
		say_missing(name, here, sink);
	else if (rc == -EACCES)
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: not executable for this user (chmod +x, or start it by its "
			"interpreter)",
			name);
	else if (rc == -EISDIR)
		sd_say(sink, SD_LEVEL_ERROR, "%s: is a folder, not a program", name);
	else
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", name, strerror(-rc));
}

int sd_program_check(const char *name, const char *cwd, const struct sd_sink *sink)
{
	int folder, rc;

	if (strstr(name, "{n}"))
		return 0;
	folder = open(cwd ? cwd : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		rc = -errno;
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", cwd ? cwd : ".", strerror(-rc));
		return rc;
	}
	rc = strchr(name, '/') ? look(folder, name) : search(folder, name);
	if (rc < 0)
		say(name, rc, look(folder, name) == 0, sink);
	close(folder);
	return rc;
}
