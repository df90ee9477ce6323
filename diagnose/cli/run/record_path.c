#include "run/record_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/record_file.h"

#define SUFFIX ".scalediag.json"
/* What a first record needs at least; a disk with less room loses the first run already. */
#define ROOM (64 * 1024)

char *sd_record_path_name(const char *program)
{
	const char *const slash = strrchr(program, '/');
	const char *const base = slash && slash[1] ? slash + 1 : program;
	char *name = NULL;

	if (asprintf(&name, "%s" SUFFIX, base) < 0)
		return NULL;
	/* a name of nothing but slashes */
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '_';
	return name;
}

static int check_old(const char *path, const struct sd_sink *sink)
{
	struct sd_record old = {0};
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0) {
		if (errno == ENOENT)
			return 0;
		rc = -errno;
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s; name another record with -o", path,
			strerror(-rc));
		return rc;
	}
	/* a device or a pipe would be replaced, not written to */
	rc = S_ISREG(st.st_mode) ? sd_record_read(path, &old, NULL) : -EEXIST;
	if (rc < 0) {
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: is there and is not a record of this version: not replaced; remove it "
			"or name another with -o",
			path);
		return -EEXIST;
	}
	sd_say(sink, SD_LEVEL_NOTE, "%s: this older record with %zu runs will be replaced", path,
		old.n_run);
	sd_record_free(&old);
	return 0;
}

/* Tries what writing the record will do, with a file that is gone again at once. */
static int check_folder(const char *path, const struct sd_sink *sink)
{
	char *name = NULL;
	int fd, rc = 0;

	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
	} else {
		/* not every file system can reserve space; those that can say no in time */
		const int full = posix_fallocate(fd, 0, ROOM);

		if (full == ENOSPC || full == EDQUOT || full == EFBIG)
			rc = -full;
		unlink(name);
		close(fd);
	}
	if (rc < 0)
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: the record cannot be written there: %s; name another with -o", path,
			strerror(-rc));
	free(name);
	return rc;
}

int sd_record_path_check(const char *path, const struct sd_sink *sink)
{
	const int rc = check_old(path, sink);

	return rc < 0 ? rc : check_folder(path, sink);
}
