#include "run/record_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/output_file.h"
#include "output/output_name.h"
#include "base/configs.h"
#include "record/program_behind.h"
#include "record/record_file.h"

#define SUFFIX ".scalediag.json"

char *sd_record_path_name(const char *program)
{
	const char *const slash = strrchr(program, '/');
	const char *const base = slash && slash[1] ? slash + 1 : program;
	char *const stem = sd_output_name(base);
	char *name = NULL;

	if (stem && asprintf(&name, "%s" SUFFIX, stem) < 0)
		name = NULL;
	free(stem);
	return name;
}

char *sd_record_path_of_command(char *const *argv, size_t n, const struct sd_sink *sink)
{
	const char *const *const words = (const char *const *)argv;

	return sd_record_path_name(argv[sd_program_behind(words, n, sd_configs_dir(), sink)]);
}

/* The newest of those that were looked at. */
struct newest {
	char *name; /* owned; NULL: none yet */
	struct timespec written;
};

static int is_record(const char *name)
{
	const size_t n = strlen(name), tail = sizeof SUFFIX - 1;

	return *name != '.' && n >= tail && strcmp(name + n - tail, SUFFIX) == 0;
}

/* A tie goes to the name that comes first, so that the answer does not hang on the order of the
 * folder. */
static int is_newer(const struct newest *best, const struct timespec *written, const char *name)
{
	if (!best->name || written->tv_sec != best->written.tv_sec)
		return !best->name || written->tv_sec > best->written.tv_sec;
	if (written->tv_nsec != best->written.tv_nsec)
		return written->tv_nsec > best->written.tv_nsec;
	return strcmp(name, best->name) < 0;
}

/* A record that cannot be looked at is none. 0 or -ENOMEM. */
static int look_at(struct newest *best, int folder, const char *name, const struct stat *other)
{
	struct stat st;
	char *copy;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
		(st.st_dev == other->st_dev && st.st_ino == other->st_ino) ||
		!is_newer(best, &st.st_mtim, name))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(best->name);
	best->name = copy;
	best->written = st.st_mtim;
	return 0;
}

/* Without a list of the names: folders of a build server have many. NULL: none, or no memory. */
static char *newest_besides(const struct stat *other)
{
	struct newest best = {0};
	DIR *const folder = opendir(".");
	const struct dirent *entry;
	int rc = 0;

	while (folder && !rc && (entry = readdir(folder)))
		if (is_record(entry->d_name))
			rc = look_at(&best, dirfd(folder), entry->d_name, other);
	if (folder)
		closedir(folder);
	if (rc) {
		free(best.name);
		return NULL;
	}
	return best.name;
}

char *sd_record_path_newest(const char *command, const char *beside, const struct sd_sink *sink)
{
	struct stat other = {0};
	char *path;

	if (beside)
		(void)stat(beside, &other); /* whoever opens it says what is wrong with it */
	path = newest_besides(&other);
	if (path)
		sd_say(sink, SD_LEVEL_NOTE, "%s, the newest %srecord of this folder", path,
			beside ? "other " : "");
	else
		sd_say(sink, SD_LEVEL_ERROR,
			"no %srecord given, and no *" SUFFIX
			" in this folder: scalediag %s RECORD; "
			"see scalediag %s --help",
			beside ? "other " : "", command, command);
	return path;
}

enum sd_exit sd_record_path_check(const struct sd_output_wish *wish, size_t n_wish,
	const struct sd_output_input *input, size_t n_input, const struct sd_sink *sink)
{
	const int rc = sd_output_check(wish, n_wish, input, n_input, sink);

	if (!rc)
		return SD_EXIT_DONE;
	return sd_output_file_refused(rc) ? SD_EXIT_USAGE : SD_EXIT_MEASURE;
}

enum sd_exit sd_record_path_older(const char *path, size_t *runs, const struct sd_sink *sink)
{
	struct stat st;
	int rc;

	*runs = 0;
	if (lstat(path, &st) < 0 || (S_ISREG(st.st_mode) && st.st_size == 0))
		return SD_EXIT_DONE;
	rc = sd_record_count(path, runs, NULL);
	if (rc == -EACCES || rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM) {
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: not overwritten, because it cannot be read: %s; name another with -o",
			path, strerror(-rc));
		return SD_EXIT_USAGE;
	}
	if (rc < 0) {
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: not overwritten, because it is damaged or a record of another "
			"version: remove "
			"it, or name another with -o",
			path);
		return SD_EXIT_USAGE;
	}
	return SD_EXIT_DONE;
}
