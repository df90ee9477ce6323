/*
 * A line of the journal whose checksum is right, and that says what cannot be.
 */
#include "read/journal.h"
#include "fields/checksum.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lzma.h>

#include "support/make_full.h"

/* At the record's end, which its lines go on with. */
static uint32_t checksum_of(const char *record)
{
	const char *const at = strstr(record, SD_CHECKSUM_BEGIN);

	assert_non_null(at);
	return (uint32_t)strtoul(at + strlen(SD_CHECKSUM_BEGIN), NULL, 16);
}

static void a_line_that_cannot_be_is_refused_with_its_place(void **state)
{
	static const unsigned cores[] = {1};
	static const struct {
		const char *line, *message;
	} rows[] = {
		{"\"runs\":[]} 1", "not a record of scalediag, or damaged"},
		{"\"runs\":[[]]}", "runs[1]: must be an object"},
		{"\"runs\":[{\"point\":7}]}", "runs[1]"},
		{"\"plan\":7,\"runs\":[]}", "plan: must be an object"},
		{"\"without_lanes\":[1],\"runs\":[]}", "without_lanes: cannot be"},
		{"\"without_lanes\":[-1],\"runs\":[]}", "without_lanes: cannot be"},
		{"\"without_lanes\":{},\"runs\":[]}", "without_lanes: cannot be"},
		{"\"stacks\":{},\"runs\":[]}", "stacks: cannot be"},
		{"\"stacks\":7,\"runs\":[]}", "stacks: cannot be"},
		{"\"other\":7,\"runs\":[]}", "other: is not known here"},
		{"\"runs\":[],\"runs\":[]}", "damaged"},
	};
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const size_t n_line = strlen(rows[i].line);
		struct sd_record r;
		char *head, *text;
		size_t n;

		make_record(&r, cores, 1);
		make_sampled(&r, make_run(&r, 0, 1, 1, 0));
		head = encode(&r, &n);
		sd_record_free(&r);
		text = make_zeroed(n + n_line + 64, 1);
		memcpy(text, head, n);
		n += (size_t)sprintf(text + n, SD_JOURNAL_HEAD "%s\n",
			lzma_crc32((const uint8_t *)rows[i].line, n_line, checksum_of(text)),
			rows[i].line);
		w->messages = 0;
		assert_int_equal(sd_record_parse(text, n, "r.json", &r, &sink), -EINVAL);
		assert_int_equal(w->messages, 1);
		if (!strstr(w->said, rows[i].message))
			fail_msg("%s: said \"%s\", not \"%s\"", rows[i].line, w->said,
				rows[i].message);
		assert_null(r.run);
		free(text);
		free(head);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_line_that_cannot_be_is_refused_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
