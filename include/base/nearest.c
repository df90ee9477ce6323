#include "base/nearest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Longer words are compared by their beginnings. */
#define WORD 32
/* Letters of a part that is worth comparing. */
#define PART 4

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: Levenshtein's distance with swaps of neighbours as one step. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[3][WORD + 1];

	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *const now = row[i % 3];
		const size_t *const above = row[(i - 1) % 3], *const two_above = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				least(above[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], two_above[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

void sd_nearest_begin(struct sd_nearest *n, const char *word, size_t length)
{
	*n = (struct sd_nearest){
		.word = word, .length = least(strnlen(word, length), WORD), .distance = SIZE_MAX};
}

static int begins_with(const struct sd_nearest *n, const char *known)
{
	return n->length >= 2 && strncmp(known, n->word, n->length) == 0;
}

static int has_in_it(const struct sd_nearest *n, const char *known)
{
	return n->length >= 4 && memmem(known, strlen(known), n->word, n->length) != NULL;
}

/* Mistakes between the word and `m` bytes of one that is known; SIZE_MAX: too many. */
static size_t mistakes(const struct sd_nearest *n, const char *known, size_t m)
{
	const size_t longer = n->length > m ? n->length : m, allowed = longer < 6 ? 1 : longer / 3;
	const size_t d = distance(n->word, n->length, known, m);

	return d > allowed || d >= longer ? SIZE_MAX : d;
}

static size_t mistakes_in_a_part(const struct sd_nearest *n, const char *known)
{
	size_t best = SIZE_MAX;

	for (const char *part = known; strchr(known, '-') && *part;) {
		const size_t m = strcspn(part, "-");

		if (m >= PART && m <= WORD)
			best = least(best, mistakes(n, part, m));
		part += m + (part[m] == '-');
	}
	return best;
}

void sd_nearest_try(struct sd_nearest *n, const char *known)
{
	const size_t m = strnlen(known, WORD);
	size_t d = mistakes(n, known, m);

	/* unfinished rather than mistyped: nearer than any mistake */
	if (n->length < m && (begins_with(n, known) || has_in_it(n, known)))
		d = 1;
	if (d == SIZE_MAX && n->length >= PART)
		d = mistakes_in_a_part(n, known);
	if (d >= n->distance)
		return;
	n->distance = d;
	n->best = known;
}

const char *sd_nearest_hint(const struct sd_nearest *n, char out[SD_NEAREST_HINT])
{
	out[0] = '\0';
	if (n->best)
		snprintf(out, SD_NEAREST_HINT, "; did you mean '%.64s'?", n->best);
	return out;
}
