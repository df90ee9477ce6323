#include "run/record_path.h"

#include <glob.h>
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

static int is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

char *sd_record_path_newest(const char *command, const char *beside, const struct sd_sink *sink)
{
	glob_t found = {0};
	const char *best = NULL;
	struct timespec newest = {0};
	struct stat other = {0};
	char *path;

	if (beside)
		(void)stat(beside, &other);      /* whoever opens it says what is wrong with it */
	(void)glob("*" SUFFIX, 0, NULL, &found); /* none, or no memory: nothing is found */
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct stat st;

		if (lstat(found.gl_pathv[i], &st) < 0 || !S_ISREG(st.st_mode) ||
			(best && !is_newer(&st.st_mtim, &newest)) ||
			(st.st_dev == other.st_dev && st.st_ino == other.st_ino))
			continue;
		best = found.gl_pathv[i];
		newest = st.st_mtim;
	}
	path = best ? strdup(best) : NULL;
	if (path)
		sd_say(sink, SD_LEVEL_NOTE, "%s, the newest %srecord of this folder", path,
			beside ? "other " : "");
	else
		sd_say(sink, SD_LEVEL_ERROR,
			"no %srecord given, and no *" SUFFIX
			" in this folder: scalediag %s RECORD; "
			"see scalediag %s --help",
			beside ? "other " : "", command, command);
	globfree(&found);
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
