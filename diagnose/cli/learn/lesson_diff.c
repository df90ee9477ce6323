#include "learn/lesson_diff.h"

#include <stddef.h>
#include <string.h>

struct lines {
	const char *at[SD_LESSON_DIFF_LINES];
	size_t length[SD_LESSON_DIFF_LINES], n;
};

static void split(const char *text, struct lines *out)
{
	out->n = 0;
	while (*text && out->n < SD_LESSON_DIFF_LINES) {
		const size_t n = strcspn(text, "\n");

		out->at[out->n] = text;
		out->length[out->n++] = n;
		text += n + (text[n] == '\n');
	}
}

static int same(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
	return a->length[i] == b->length[j] && memcmp(a->at[i], b->at[j], a->length[i]) == 0;
}

/* common[i][j]: lines in common of a from i and b from j on. */
typedef unsigned char table[SD_LESSON_DIFF_LINES + 1][SD_LESSON_DIFF_LINES + 1];

static void fill(const struct lines *a, const struct lines *b, table common)
{
	for (size_t i = a->n; i-- > 0;)
		for (size_t j = b->n; j-- > 0;)
			common[i][j] = same(a, i, b, j) ? (unsigned char)(common[i + 1][j + 1] + 1)
				       : common[i + 1][j] > common[i][j + 1] ? common[i + 1][j]
									     : common[i][j + 1];
}

void sd_lesson_diff(const char *broken, const char *fixed, struct sd_lesson_diff *out)
{
	table common = {{0}};
	struct lines a, b;

	split(broken, &a);
	split(fixed, &b);
	fill(&a, &b, common);
	memset(out, 1, sizeof *out);
	for (size_t i = 0, j = 0; i < a.n && j < b.n;)
		if (same(&a, i, &b, j))
			out->broken[i++] = out->fixed[j++] = 0;
		else if (common[i + 1][j] >= common[i][j + 1])
			i++;
		else
			j++;
}
