/* The machine as a report draws it: kept bit by bit, and refused where it cannot be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "write/encode.h"
#include "support/make_analysis.h"
#include "record/record_file.h"

static void listen(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 512, "%s", text);
}

static char *encoded(const struct sd_record *r, size_t *size)
{
	char *const text = make_report(sd_encode(out, r));

	*size = strlen(text);
	return text;
}

static void make(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2};
	static const double time[] = {-1, 55e-9, -1, 55e-9, -1, 2.5e-7, -1, 2.5e-7, -1};
	struct sd_machine_layout *const l = &r->layout;

	make_record(r, cores, 2);
	l->pu = make_zeroed(2, sizeof *l->pu);
	l->n_pu = 2;
	l->pu[1] = (struct sd_pu){
		.os = 7, .core = 1, .smt_rank = 2, .llc = 3, .numa = 4, .package = 5, .kind = 6};
	l->pairs.n = 3;
	l->pairs.cpu = make_zeroed(3, sizeof *l->pairs.cpu);
	l->pairs.s = make_zeroed(9, sizeof *l->pairs.s);
	memcpy(l->pairs.s, time, sizeof time);
	for (unsigned i = 0; i < 3; i++)
		l->pairs.cpu[i] = 2 * i;
	l->loaded = make_zeroed(1, sizeof *l->loaded);
	l->n_loaded = 1;
	strcpy(l->loaded[0].mix, "2:1");
	l->loaded[0].n = 2;
	l->loaded[0].bandwidth = make_zeroed(2, sizeof(double));
	l->loaded[0].latency = make_zeroed(2, sizeof(double));
	l->loaded[0].bandwidth[1] = 4e10;
	l->loaded[0].latency[1] = 3.25e-7;
}

static void what_was_drawn_is_drawn_again(void **state)
{
	struct sd_record r, again;
	size_t n, m;
	char *text, *copy;

	(void)state;
	make(&r);
	text = encoded(&r, &n);
	assert_int_equal(sd_record_parse(text, n, "r", &again, NULL), 0);
	assert_int_equal(again.layout.n_pu, 2);
	assert_int_equal(again.layout.pu[1].os, 7);
	assert_int_equal(again.layout.pu[1].kind, 6);
	assert_int_equal(again.layout.pairs.n, 3);
	assert_true(again.layout.pairs.s[1] == 55e-9 && again.layout.pairs.s[3] == 55e-9);
	assert_true(again.layout.pairs.s[2] < 0 && again.layout.pairs.s[4] < 0);
	assert_true(again.layout.pairs.s[7] == 2.5e-7);
	assert_string_equal(again.layout.loaded[0].mix, "2:1");
	assert_true(again.layout.loaded[0].latency[1] == 3.25e-7);
	copy = encoded(&again, &m);
	assert_int_equal(n, m);
	assert_memory_equal(text, copy, n);
	free(text);
	free(copy);
	sd_record_free(&r);
	sd_record_free(&again);
}

static void a_record_without_it_is_whole(void **state)
{
	static const unsigned cores[] = {1};
	struct sd_record r, again;
	size_t n;
	char *text;

	(void)state;
	make_record(&r, cores, 1);
	text = encoded(&r, &n);
	assert_null(strstr(text, "layout"));
	assert_int_equal(sd_record_parse(text, n, "r", &again, NULL), 0);
	assert_int_equal(again.layout.n_pu, 0);
	free(text);
	sd_record_free(&r);
	sd_record_free(&again);
}

/* One replacement, and the word by which the message names the place. */
static void a_damaged_layout_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} row[] = {
		{"[7,1,2,3,4,5,6]", "[7,1,2,3,4,5]", "cpus[1]"},
		{"[7,1,2,3,4,5,6]", "[0,1,2,3,4,5,6]", "must rise"},
		{"[7,1,2,3,4,5,6]", "[7,1,2,3,4,5,-6]", "cpus[1]"},
		{"\"cpus\":[0,2,4]", "\"cpus\":[0,2]", "pairs"},
		{"\"cpus\":[0,2,4]", "\"cpus\":[0]", "no pair"},
		{"null", "\"x\"", "pairs"},
		{"2:1", "3:1", "must be read"},
		{"[4e+10,", "[", "points[1]"},
		{"\"mix\"", "\"mux\"", "\"mix\" is missing"},
	};
	struct sd_record r, out;
	size_t n;
	char *text;

	(void)state;
	make(&r);
	text = encoded(&r, &n);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const char *const at = strstr(text, row[i].from);
		char said[512] = "", *bad = NULL;
		const struct sd_sink sink = {.emit = listen, .ctx = said};

		assert_non_null(at);
		assert_true(asprintf(&bad, "%.*s%s%s", (int)(at - text), text, row[i].to,
				    at + strlen(row[i].from)) > 0);
		assert_int_equal(sd_record_parse(bad, strlen(bad), "r", &out, &sink), -EINVAL);
		if (!strstr(said, row[i].says))
			fail_msg("%s: %s", row[i].to, said);
		free(bad);
	}
	free(text);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_drawn_is_drawn_again),
		cmocka_unit_test(a_record_without_it_is_whole),
		cmocka_unit_test(a_damaged_layout_is_refused_with_its_place),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
