/*
 * Files that commands write.
 */
#ifndef SD_TEST_WRITTEN_FILES_H
#define SD_TEST_WRITTEN_FILES_H

#include <stdlib.h>

#include "e2e/e2e.h"

static inline void make_record(struct e2e *e, const char *name)
{
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "--samples", "none", "--experiments",
		"none", "-o", name, "--", "/bin/true");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

static inline int files_below(const char *folder)
{
	char command[600], text[32] = "";
	FILE *f;

	snprintf(command, sizeof command, "find '%s' -mindepth 1 | wc -l", folder);
	f = popen(command, "re");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof text, f));
	pclose(f);
	return atoi(text);
}

#endif
