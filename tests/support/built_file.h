/*
 * Path of a file built beside a test. Include after cmocka.h.
 */
#ifndef SD_TEST_BUILT_FILE_H
#define SD_TEST_BUILT_FILE_H

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "build/NAME" of a test in build/tests/PROBES/ROOM; until the next call. */
static inline const char *built(const char *name)
{
	static char path[PATH_MAX + 128];
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	assert_true(n > 0);
	self[n] = '\0';
	for (int i = 0; i < 4; i++)
		*strrchr(self, '/') = '\0';
	snprintf(path, sizeof path, "%s/%s", self, name);
	return path;
}

#endif
