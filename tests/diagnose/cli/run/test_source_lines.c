/* A source that somebody writes to while it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run/source_lines.h"

#define BOUND ((size_t)17 << 20) /* what a source may have, and a buffer of the library */
#define MOST (4 * BOUND)

struct growing {
	size_t read;
	int lines;
};

/* Has always more, in lines of 64 bytes or in one. */
static ssize_t grow(void *of, char *to, size_t n)
{
	struct growing *const g = of;

	if (g->read >= MOST)
		return 0;
	memset(to, 'x', n);
	for (size_t i = 0; i < n && g->lines; i++)
		if ((g->read + i) % 64 == 63)
			to[i] = '\n';
	g->read += n;
	return (ssize_t)n;
}

static struct sd_source_text read_source(struct growing *g, unsigned hot)
{
	struct sd_source_text s = {.state = SD_SOURCE_READ, .hot = hot};
	FILE *const f = fopencookie(g, "r", (cookie_io_functions_t){.read = grow});

	assert_non_null(f);
	assert_int_equal(sd_source_lines_read(f, hot, hot, &s), 0);
	fclose(f);
	return s;
}

static void a_source_that_grows_is_read_to_a_bound(void **state)
{
	struct growing one = {0}, many = {.lines = 1}, far = {.lines = 1};
	struct sd_source_text s = read_source(&one, 1);

	(void)state;
	assert_true(one.read <= BOUND);
	assert_int_equal(s.line.n, 1);
	assert_int_equal(strlen(s.line.text[0]), SD_SOURCE_TEXT_BYTES);
	sd_source_text_free(&s);
	s = read_source(&many, 100);
	assert_true(many.read < 1 << 20);
	assert_int_equal(s.state, SD_SOURCE_READ);
	assert_int_equal(s.first + s.line.n, 106);
	sd_source_text_free(&s);
	s = read_source(&far, 900000);
	assert_true(far.read <= BOUND);
	assert_int_equal(s.state, SD_SOURCE_MISSING);
	sd_source_text_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_source_that_grows_is_read_to_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
