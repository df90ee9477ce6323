#include "run/record_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/output_file.h"
#include "output/output_name.h"
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
	struct sd_record old = {0};
	struct stat st;
	int rc;

	*runs = 0;
	if (lstat(path, &st) < 0 || (S_ISREG(st.st_mode) && st.st_size == 0))
		return SD_EXIT_DONE;
	rc = sd_record_read(path, &old, NULL);
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
	*runs = old.n_run;
	sd_record_free(&old);
	return SD_EXIT_DONE;
}
