/* Limits of a node: what is written, what is refused, and what a calibration says of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/node_numbers.h"

static void add(struct sd_profile *p, const char *kernel, const char *variant, const char *unit,
	unsigned cores, double median)
{
	struct sd_bench_row r = {.kernel = kernel,
		.unit = unit,
		.parameter_unit = "",
		.cores = cores,
		.n = 7,
		.median = median,
		.q1 = 0.95 * median,
		.q3 = 1.05 * median,
		.low = 0.9 * median,
		.high = 1.1 * median,
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant, "%s", variant);
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

/* A node of eight cores; latency on both page sizes, two pairs of CPUs. */
static struct sd_profile node(void)
{
	struct sd_profile p = {.granted = 8};

	add(&p, "triad", "stores=regular bytes=counted", "GB/s", 1, 20);
	add(&p, "triad", "stores=regular bytes=counted", "GB/s", 8, 100);
	add(&p, "triad", "stores=regular bytes=allocated", "GB/s", 8, 133);
	add(&p, "triad", "stores=nt bytes=counted", "GB/s", 8, 120);
	add(&p, "ceiling", "op=triad stores=nt", "GB/s", 8, 120);
	add(&p, "latency", "level=DRAM pages=2MiB", "ns", 1, 90);
	add(&p, "latency", "level=DRAM pages=4KiB", "ns", 1, 110);
	add(&p, "transfer", "op=load-store line=median", "ns", 2, 60);
	add(&p, "transfer", "op=load-store line=median", "ns", 2, 200);
	add(&p, "frequency", "quantity=clock/alone", "ratio", 8, 0.8);
	add(&p, "frequency", "quantity=clock/alone", "ratio", 1, 1);
	add(&p, "frequency", "quantity=time", "ns", 1, 0.3);
	return p;
}

static void limits_are_told_by_the_quartiles(void **state)
{
	static const struct {
		const char *limit;
		enum sd_node_outcome outcome;
		const char *said;
	} rows[] = {
		{"triad>=110", SD_NODE_HOLDS, "120 GB/s (114-126) on 8 cores"},
		{"triad@all>=110GB/s", SD_NODE_HOLDS, "on 8 cores"},
		{"triad.regular@8>=110GB/s", SD_NODE_BROKEN, "100 GB/s"},
		{"triad@1>=19.5", SD_NODE_UNDECIDED, "20 GB/s (19-21) on 1 core"},
		{"triad@1<=30", SD_NODE_HOLDS, ""},
		{"triad@4>=1", SD_NODE_UNDECIDED, "not known on 4 cores: it was not measured"},
		{"bandwidth>=130", SD_NODE_BROKEN, ""},
		{"latency.dram<=100ns", SD_NODE_HOLDS, "90 ns"},
		{"latency.dram<=80", SD_NODE_BROKEN, ""},
		{"latency.llc<=80", SD_NODE_UNDECIDED, "not measured"},
		{"transfer<=150ns", SD_NODE_BROKEN, "200 ns"},
		{"clock>=0.9", SD_NODE_BROKEN, "0.8 ratio"},
	};
	struct sd_profile p = node();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_node_limit limit;
		char why[400], said[200];

		if (sd_node_limit_parse(rows[i].limit, &limit, why, sizeof why))
			fail_msg("%s", why);
		if (sd_node_limit_check(&limit, &p, said, sizeof said) != rows[i].outcome ||
			!strstr(said, rows[i].said))
			fail_msg("%s: %s", rows[i].limit, said);
	}
	sd_profile_free(&p);
}

static void what_is_no_limit_is_refused_in_its_own_words(void **state)
{
	static const struct {
		const char *limit, *why;
	} rows[] = {
		{"", "must be like"},
		{"triad", "must be like"},
		{"triad>180", "must be like"},
		{"tirad>=1", "begins with none of bandwidth, triad"},
		{"triad.fast>=1", "begins with none"},
		{">=1", "begins with none"},
		{"triad@>=1", "a core count or all"},
		{"triad@0>=1", "a core count or all"},
		{"triad@some>=1", "a core count or all"},
		{"latency.dram@2<=100", "leave out the @"},
		{"triad>=", "a number of GB/s"},
		{"triad>=fast", "a number of GB/s"},
		{"triad>=180MB/s", "a number of GB/s"},
		{"latency.dram<=110us", "a number of ns"},
		{"triad>=-1", "a number of GB/s"},
		{"triad>=nan", "a number of GB/s"},
		{"triad>=0000000000000000000000000000000000000000000000000000000000000000000000000"
		 "00000000000000000000000001",
			"is too long"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_node_limit limit;
		char why[400] = "";

		assert_int_equal(
			sd_node_limit_parse(rows[i].limit, &limit, why, sizeof why), -EINVAL);
		if (!strstr(why, rows[i].why))
			fail_msg("%s: %s", rows[i].limit, why);
	}
}

/* In the state that was seen most, not in the best one that was seen for a moment. */
static void a_state_that_was_seen_briefly_does_not_decide(void **state)
{
	struct sd_profile p = {
		.granted = 2, .states = {.n = 2, .line = {60e-9, 300e-9}, .seen = {2, 90}}};
	struct sd_node_limit limit;
	char why[400], said[200];

	(void)state;
	add(&p, "triad", "stores=nt bytes=counted", "GB/s", 2, 50);
	add(&p, "triad", "stores=nt bytes=counted", "GB/s", 2, 20);
	p.rows.row[1].state = 1;
	assert_int_equal(sd_node_limit_parse("triad>=40", &limit, why, sizeof why), 0);
	assert_int_equal(sd_node_limit_check(&limit, &p, said, sizeof said), SD_NODE_BROKEN);
	/* nor does it answer for the other */
	p.rows.row[1].n = 0;
	assert_int_equal(sd_node_limit_check(&limit, &p, said, sizeof said), SD_NODE_UNDECIDED);
	assert_non_null(strstr(said, "another state"));
	sd_profile_free(&p);
}

static void what_a_whole_calibration_lacks_is_named(void **state)
{
	struct sd_profile p = node(), q = {.granted = 2};
	char missing[200];

	(void)state;
	assert_int_equal(sd_node_numbers_missing(&p, missing, sizeof missing), 0);
	assert_string_equal(missing, "");
	/* a number that was refused is none */
	p.rows.row[0].status = SD_STATUS_ABSENT;
	for (size_t i = 0; i < p.rows.n; i++)
		if (strcmp(p.rows.row[i].kernel, "latency") == 0)
			p.rows.row[i].n = 0;
	assert_int_equal(sd_node_numbers_missing(&p, missing, sizeof missing), 2);
	assert_string_equal(missing, "memory bandwidth of one core, latency of memory");
	/* no time was left for two cores: their row says so */
	add(&q, "bandwidth", "pages=2MiB", "GB/s", 2, 1);
	q.rows.row[0].n = 0;
	assert_int_equal(sd_node_numbers_missing(&q, missing, sizeof missing), 5);
	assert_non_null(strstr(missing, "memory bandwidth of all 2 cores, memory"));
	assert_non_null(strstr(missing, "line transfer, clock"));
	sd_profile_free(&p);
	sd_profile_free(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_told_by_the_quartiles),
		cmocka_unit_test(what_is_no_limit_is_refused_in_its_own_words),
		cmocka_unit_test(a_state_that_was_seen_briefly_does_not_decide),
		cmocka_unit_test(what_a_whole_calibration_lacks_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
