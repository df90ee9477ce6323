#include "learn/lesson_files.h"

#include <stdint.h>
#include <string.h>

#include "base/number.h"

/* Longer words are compared by their beginnings. */
#define WORD 32

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

static size_t least(size_t a, size_t b, size_t c)
{
	const size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein's distance: letters to insert, remove or replace. */
static size_t distance(const char *a, const char *b)
{
	const size_t n = strnlen(a, WORD), m = strnlen(b, WORD);
	size_t row[WORD + 1];

	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			const size_t above = row[j];

			row[j] =
				least(diagonal + (a[i - 1] != b[j - 1]), above + 1, row[j - 1] + 1);
			diagonal = above;
		}
	}
	return row[m];
}

const struct sd_lesson_files *sd_lesson_nearest(const char *name)
{
	const struct sd_lesson_files *best = sd_lesson_files;
	size_t closest = SIZE_MAX;

	for (const struct sd_lesson_files *l = sd_lesson_files; l->folder; l++) {
		const size_t d = distance(name, sd_lesson_name(l));

		if (d < closest) {
			closest = d;
			best = l;
		}
	}
	return best;
}
