#include "learn/lesson_files.h"

#include <stdint.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"

const char *sd_lesson_name(const struct sd_lesson_files *l)
{
	const char *const dash = strchr(l->folder, '-');

	return dash ? dash + 1 : l->folder;
}

const struct sd_lesson_files *sd_lesson_find(const char *name)
{
	uint64_t number, own;

	for (const struct sd_lesson_files *l = sd_lesson_files; l->folder; l++) {
		char digits[8] = "";

		if (strcmp(name, l->folder) == 0 || strcmp(name, sd_lesson_name(l)) == 0)
			return l;
		memcpy(digits, l->folder, strspn(l->folder, "0123456789") % sizeof digits);
		if (sd_number_u64(name, 0, 1000, &number) == 0 &&
			sd_number_u64(digits, 0, 1000, &own) == 0 && number == own)
			return l;
	}
	return NULL;
}

const char *sd_lesson_nearest(const char *name)
{
	struct sd_nearest n;

	sd_nearest_begin(&n, name, strlen(name));
	for (const struct sd_lesson_files *l = sd_lesson_files; l->folder; l++)
		sd_nearest_try(&n, sd_lesson_name(l));
	return n.best;
}
