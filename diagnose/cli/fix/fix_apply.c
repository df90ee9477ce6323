#include "fix/fix_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "tree/git_answer.h"

enum tracked { CLEAN, CHANGED, UNKNOWN };

static enum tracked ask_git(const char *folder, const char *path)
{
	const char *const words[] = {"status", "--porcelain", "--ignored", "--", path, NULL};
	char *said;
	size_t size;
	enum tracked answer = UNKNOWN;

	if (sd_git_answer(folder, words, &said, &size) == 0)
		/* "??" and "!!": it does not know the file */
		answer = size == 0 ? CLEAN : strchr("?!", *said) ? UNKNOWN : CHANGED;
	free(said);
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

/* A changed source: its file, and beside it the new one and the old. */
struct change {
	const struct sd_fix_source *source;
	char *path, *fresh, *old; /* owned */
	int keeps;                /* the old one stays: git does not have it */
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

/* Writes both files beside it. 0, or -errno after a message, with neither there. */
static int prepare(struct change *c, const char *folder, const struct sd_sink *sink)
{
	struct stat st;
	size_t size = 0;
	char *text = NULL;
	int rc = 0;

	if (asprintf(&c->path, "%s/%s", folder, c->source->path) < 0 ||
		asprintf(&c->fresh, "%s.scalediag-%d", c->path, (int)getpid()) < 0 ||
		(c->keeps ? asprintf(&c->old, "%s.orig", c->path)
			  : asprintf(&c->old, "%s.old", c->fresh)) < 0)
		return say(sink, c->source->path, -ENOMEM);
	rc = check_text(c, &st);
	if (!rc)
		text = sd_source_edits_apply(
			&c->source->edits, c->source->text, c->source->size, &size);
	rc = rc ? rc : text ? write_new(c->fresh, text, size, st.st_mode) : -ENOMEM;
	free(text);
	if (rc)
		return say(sink, c->path, rc);
	rc = write_new(c->old, c->source->text, c->source->size, st.st_mode);
	if (rc) {
		unlink(c->fresh);
		sd_say(sink, SD_LEVEL_ERROR, "%s: the old text cannot be kept there: %s", c->old,
			strerror(-rc));
	}
	return rc;
}

static void forget(struct change *c)
{
	free(c->path);
	free(c->fresh);
	free(c->old);
	*c = (struct change){0};
}

/* Puts the old texts of the first n back; of one that cannot be it is said where its text is. */
static void undo(const struct change *c, size_t n, const struct sd_sink *sink)
{
	while (n-- > 0)
		if (rename(c[n].old, c[n].path) != 0)
			sd_say(sink, SD_LEVEL_ERROR, "%s: STAYS CHANGED, its old text is in %s: %s",
				c[n].path, c[n].old, strerror(errno));
}

/* Renames all n into place, or none. */
static int rename_all(struct change *c, size_t n, const struct sd_sink *sink)
{
	size_t done = 0;
	int rc = 0;

	for (; done < n && !rc; done += !rc)
		if (rename(c[done].fresh, c[done].path) != 0)
			rc = say(sink, c[done].path, -errno);
	if (rc)
		undo(c, done, sink);
	for (size_t i = 0; i < n; i++) {
		if (rc && i >= done)
			unlink(c[i].fresh);
		/* what could not be put back has its old text there */
		if ((rc && i >= done) || (!rc && !c[i].keeps))
			unlink(c[i].old);
	}
	return rc;
}

/* Notes a source that changes. 0, or -EBUSY after a message. */
static int take(struct change *c, const struct sd_fix_source *source, const char *folder, int git,
	const struct sd_sink *sink)
{
	const enum tracked known = git ? ask_git(folder, source->path) : CLEAN;

	*c = (struct change){.source = source, .keeps = known == UNKNOWN};
	if (known != CHANGED)
		return 0;
	sd_say(sink, SD_LEVEL_ERROR,
		"%s: has changes that are not committed, so that this one could not be told from "
		"them: commit or stash them, or apply the diff by hand",
		source->path);
	return -EBUSY;
}

static int write_all(
	const struct sd_fix_sources *s, const char *folder, int git, const struct sd_sink *sink)
{
	struct change change[SD_FIX_SOURCES] = {{0}};
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		if (!s->source[i]->edits.n)
			continue;
		rc = take(&change[n], s->source[i], folder, git, sink);
		rc = rc ? rc : prepare(&change[n], folder, sink);
		if (rc)
			forget(&change[n]);
		else
			n++;
	}
	if (!rc)
		rc = rename_all(change, n, sink);
	else
		for (size_t i = 0; i < n; i++) {
			unlink(change[i].fresh);
			unlink(change[i].old);
		}
	for (size_t i = 0; i < n; i++)
		forget(&change[i]);
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
