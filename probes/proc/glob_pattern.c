#include "proc/glob_pattern.h"

#include <stdlib.h>
#include <string.h>

char *sd_glob_pattern_of(const char *prefix, const char *suffix)
{
	char *const pattern = malloc(2 * strlen(prefix) + strlen(suffix) + 1), *p = pattern;

	if (!pattern)
		return NULL;
	for (const char *c = prefix; *c; c++) {
		if (strchr("*?[\\", *c))
			*p++ = '\\';
		*p++ = *c;
	}
	memcpy(p, suffix, strlen(suffix) + 1);
	return pattern;
}
