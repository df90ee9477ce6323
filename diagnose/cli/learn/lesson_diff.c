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

/* Not a comment's, an include, a condition of the preprocessor, or empty. */
static int is_code(const char *at, size_t n)
{
	static const char *const not_code[] = {
		"/*", "*", "//", "#include", "#if", "#else", "#endif"};
	const size_t blank = strspn(at, " \t");

	for (size_t i = 0; i < sizeof not_code / sizeof *not_code; i++)
		if (n >= blank && strncmp(at + blank, not_code[i], strlen(not_code[i])) == 0)
			return 0;
	return n > blank;
}

struct taken {
	struct sd_lesson_changed *out;
	size_t n, of[2]; /* all, and of each version */
	int *more;
};

static void take(struct taken *t, int fixed, const struct lines *lines, size_t i)
{
	if (!is_code(lines->at[i], lines->length[i]))
		return;
	if (t->of[fixed]++ == SD_LESSON_DIFF_SHOWN) {
		t->of[fixed]--;
		*t->more = 1;
		return;
	}
	t->out[t->n++] =
		(struct sd_lesson_changed){fixed, (unsigned)i + 1, lines->at[i], lines->length[i]};
}

size_t sd_lesson_diff_code(const char *broken, const char *fixed,
	struct sd_lesson_changed out[2 * SD_LESSON_DIFF_SHOWN], int *more)
{
	struct taken t = {.out = out, .more = more};
	struct sd_lesson_diff d;
	struct lines a, b;

	*more = 0;
	sd_lesson_diff(broken, fixed, &d);
	split(broken, &a);
	split(fixed, &b);
	for (size_t i = 0, j = 0; i < a.n || j < b.n;)
		if (i < a.n && d.broken[i]) {
			take(&t, 0, &a, i++);
		} else if (j < b.n && d.fixed[j]) {
			take(&t, 1, &b, j++);
		} else {
			i++;
			j++;
		}
	return t.n;
}
