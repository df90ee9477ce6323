#include "fix/fix_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/regular_file.h"

enum tracked { CLEAN, CHANGED, UNKNOWN };

/* Asks git about a file, without a lock of the index that a commit would meet. Of the repository
 * nothing is run but the filters of files that its configuration names. */
static enum tracked ask_git(const char *folder, const char *path)
{
	const char *const words[] = {"git", "-c", "core.fsmonitor=false", "-C", folder,
		"--literal-pathspecs", "--no-optional-locks", "status", "--porcelain", "--ignored",
		"--", path, NULL};
	posix_spawn_file_actions_t actions;
	enum tracked answer = UNKNOWN;
	int out[2], status = -1;
	char said[16] = "";
	char **argv;
	pid_t pid;
	ssize_t n;

	memcpy(&argv, &(const void *){words}, sizeof argv);
	if (pipe2(out, O_CLOEXEC) != 0)
		return UNKNOWN;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, "git", &actions, NULL, argv, environ) == 0) {
		close(out[1]);
		out[1] = -1;
		n = read(out[0], said, sizeof said - 1);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (n >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
			/* "??" and "!!": it does not know the file */
			answer = n == 0 ? CLEAN : strchr("?!", *said) ? UNKNOWN : CHANGED;
	}
	posix_spawn_file_actions_destroy(&actions);
	close(out[0]);
	if (out[1] >= 0)
		close(out[1]);
	return answer;
}

static int say(const struct sd_sink *sink, const char *path, int rc)
{
	sd_say(sink, SD_LEVEL_ERROR, "%s: cannot be changed: %s", path,
		rc == -ESTALE ? "it is not any more what the changes were made for"
			      : strerror(-rc));
	return rc;
}

/* Writes a new file and gives it the mode. 0 or -errno. */
static int write_new(const char *path, const char *text, size_t size, mode_t mode)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : 0;

	for (size_t at = 0; !rc && at < size;) {
		const ssize_t n = write(fd, text + at, size - at);

		if (n < 0 && errno != EINTR)
			rc = -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	if (!rc && (fchmod(fd, mode & 07777) != 0 || fsync(fd) != 0))
		rc = -errno;
	if (fd >= 0 && close(fd) != 0 && !rc)
		rc = -errno;
	if (rc && fd >= 0)
		unlink(path);
	return rc;
}

/* A changed source: its file, and the new one beside it. */
struct change {
	const struct sd_fix_source *source;
	char *path, *fresh, *kept; /* owned; kept NULL: git has the old text */
};

/* Has the file still the text that the changes are of? Its author may have gone on. 0 or -errno. */
static int check_text(const struct change *c, struct stat *st)
{
	const int fd = sd_regular_file_open(c->path, O_NOFOLLOW, st);
	size_t size = 0;
	unsigned char *text;
	int rc = 0;

	if (fd < 0)
		return fd;
	text = sd_regular_file_read(fd, c->source->size + 1, &size);
	if (!text || size != c->source->size || memcmp(text, c->source->text, size) != 0)
		rc = -ESTALE;
	free(text);
	close(fd);
	return rc;
}

static int prepare(struct change *c, const char *folder, int keep, const struct sd_sink *sink)
{
	struct stat st;
	size_t size = 0;
	char *text = NULL;
	int rc = 0;

	if (asprintf(&c->path, "%s/%s", folder, c->source->path) < 0 ||
		asprintf(&c->fresh, "%s.scalediag-%d", c->path, (int)getpid()) < 0 ||
		(keep && asprintf(&c->kept, "%s.orig", c->path) < 0))
		return -ENOMEM;
	rc = check_text(c, &st);
	if (!rc)
		text = sd_source_edits_apply(
			&c->source->edits, c->source->text, c->source->size, &size);
	rc = rc ? rc : text ? write_new(c->fresh, text, size, st.st_mode) : -ENOMEM;
	if (!rc && c->kept) {
		rc = write_new(c->kept, c->source->text, c->source->size, st.st_mode);
		if (rc)
			unlink(c->fresh);
	}
	free(text);
	return rc ? say(sink, c->path, rc) : 0;
}

static int write_all(
	const struct sd_fix_sources *s, const char *folder, int git, const struct sd_sink *sink)
{
	struct change change[SD_FIX_SOURCES] = {{0}};
	size_t n = 0, done = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		const enum tracked known =
			s->source[i]->edits.n && git ? ask_git(folder, s->source[i]->path) : CLEAN;

		if (!s->source[i]->edits.n)
			continue;
		if (known == CHANGED) {
			sd_say(sink, SD_LEVEL_ERROR,
				"%s: has changes that are not committed, so that this one could not "
				"be told from them: commit or stash them, or apply the diff by hand",
				s->source[i]->path);
			rc = -EBUSY;
			continue;
		}
		change[n].source = s->source[i];
		rc = prepare(&change[n], folder, known == UNKNOWN, sink);
		n += !rc;
	}
	for (; done < n && !rc; done++)
		if (rename(change[done].fresh, change[done].path) != 0)
			rc = say(sink, change[done].path, -errno);
	for (size_t i = 0; i < SD_FIX_SOURCES; i++) {
		if (rc && i >= done && i < n) {
			unlink(change[i].fresh);
			if (change[i].kept)
				unlink(change[i].kept);
		}
		free(change[i].path);
		free(change[i].fresh);
		free(change[i].kept);
	}
	return rc;
}

int sd_fix_apply(const struct sd_fix_sources *s, const struct sd_sink *sink)
{
	return write_all(s, s->folder, 1, sink);
}

int sd_fix_apply_copy(
	const struct sd_fix_sources *s, const char *folder, const struct sd_sink *sink)
{
	return write_all(s, folder, 0, sink);
}
