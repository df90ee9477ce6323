/*
 * Calibrations of a few kernels, and the files they leave.
 */
#ifndef SD_TEST_CALIBRATION_FILES_H
#define SD_TEST_CALIBRATION_FILES_H

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "e2e/e2e.h"
#include "support/others.h"

/* The cache folder of the child is the test's own. */
static inline int own_cache(void *ctx)
{
	return setenv("XDG_CACHE_HOME", ctx, 1);
}

static inline json_t *parse(const struct e2e_result *r)
{
	json_error_t error;
	json_t *root = json_loadb(r->out, r->n_out, 0, &error);

	if (!root)
		fail_msg("not JSON: %s\n%s", error.text, r->out);
	return root;
}

/* Files under a folder, one level of folders deep. */
static inline size_t count_files(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	for (const struct dirent *e; d && (e = readdir(d));) {
		char inner[512];
		struct stat st;

		if (snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) >= (int)sizeof inner)
			continue;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
			stat(inner, &st) != 0)
			continue;
		n += S_ISDIR(st.st_mode) ? count_files(inner) : 1;
	}
	if (d)
		closedir(d);
	return n;
}

#endif
