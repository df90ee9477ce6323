#include "run/own_library.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/mpi_launcher.h"

char *sd_own_library_find(const char *name)
{
	static const char *const places[] = {"", "../lib/scalediag/"};
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
		char *path = NULL, *real = NULL;

		if (asprintf(&path, "%.*s/%s%s", (int)(slash - self), self, places[i], name) >= 0)
			real = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
		free(path);
		if (real)
			return real;
	}
	return NULL;
}

char *sd_own_library_for_ranks(const struct sd_record *record, const struct sd_sink *sink)
{
	char *found;

	if (!record->plan.point[0].shape.ranks && !sd_mpi_launcher_is(record->program.argv.text[0]))
		return NULL;
	found = sd_own_library_find("scalediag-mpi.so");
	if (!found)
		sd_say(sink, SD_LEVEL_WARNING,
			"scalediag-mpi.so was not found beside scalediag or in its library folder: what "
			"MPI ranks wait for is not divided");
	return found;
}
