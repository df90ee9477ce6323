#include "record/record_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How much of `name` stays without this end. */
static size_t without(const char *name, size_t n, const char *end)
{
	const size_t m = strlen(end);

	return n > m && name[n - m - 1] != '/' && memcmp(name + n - m, end, m) == 0 ? n - m : n;
}

static char *beside(const char *record, const char *between, const char *what)
{
	size_t n = without(record, strlen(record), ".json");
	char *path = NULL;

	n = without(record, n, ".scalediag");
	return asprintf(&path, "%.*s%s.scalediag.%s", (int)n, record, between, what) < 0 ? NULL
											 : path;
}

char *sd_record_names_beside(const char *record, const char *what)
{
	return beside(record, "", what);
}

char *sd_record_names_absolute(const char *record, const char *what)
{
	char *const path = beside(record, "", what);
	char *folder, *whole = NULL;

	if (!path || *path == '/')
		return path;
	folder = getcwd(NULL, 0);
	if (folder && asprintf(&whole, "%s/%s", folder, path) < 0)
		whole = NULL;
	free(folder);
	free(path);
	return whole;
}

char *sd_record_names_unfinished(const char *record)
{
	return beside(record, ".unfinished", "json");
}

char *sd_record_names_previous(const char *record)
{
	return beside(record, ".previous", "json");
}
