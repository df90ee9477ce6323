/*
 * Sections of the calibration's text: what each shows, in which units, and how it keeps within a
 * page.
 */
#include "calibration/bench_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "calibration/bench_table.h"
#include "page/page.h"

static const struct {
	const char *kernel, *variant;
	unsigned cores;
	const char *cpus;
	double parameter;
	const char *parameter_unit, *unit;
	double median, q1, q3;
} measured[] = {
	{"ceiling", "op=scale stores=nt", 1, "0", 1e9, "B", "GB/s", 24.1, 24, 24.2},
	{"ceiling", "op=write stores=nt", 2, "0-1", 1e9, "B", "GB/s", 43.8, 43.2, 44.2},
	{"scale", "stores=regular bytes=allocated", 1, "0", 1e9, "B", "GB/s", 23.9, 23.8, 24},
	{"copy", "stores=regular bytes=allocated", 1, "0", 1e9, "B", "GB/s", 25.6, 25.5, 25.7},
	{"copy", "stores=regular bytes=allocated", 2, "0-1", 1e9, "B", "GB/s", 48.5, 48, 49},
	{"latency", "level=L1 pages=4KiB", 1, "0", 32768, "B", "ns", 1.31, 1.3, 1.33},
	{"latency", "level=DRAM pages=4KiB", 1, "0", 1 << 30, "B", "ns", 177, 170, 180},
	{"latency", "effective=LLC pages=4KiB", 1, "0", 32 << 20, "B visible", "B", 16 << 20,
		8 << 20, 32 << 20},
	{"transfer", "op=load-store lines=4 line=median", 2, "0-1", 0, "", "ns", 57.2, 56, 58},
	{"transfer", "op=load-store lines=4 line=nearest", 2, "0-1", 0, "", "ns", 51.3, 51, 52},
	{"transfer", "op=cas lines=4 line=median", 2, "0-1", 0, "", "ns", 61.4, 61, 62},
	{"transfer", "op=cas lines=4 line=nearest", 2, "0-1", 0, "", "ns", 59.6, 59, 60},
	{"sharing", "op=increment layout=one-line", 2, "0-1", 0, "", "ns", 3.41, 3.3, 3.5},
	{"sharing", "op=increment layout=one-line/padded", 2, "0-1", 0, "", "ratio", 11.2, 11, 12},
	{"sharing", "op=atomic-add layout=one-line", 2, "0-1", 0, "", "ns", 40.2, 40, 41},
	{"sharing", "op=atomic-add layout=neighbour-lines", 2, "0-1", 0, "", "ns", 4.94, 4.9, 5},
	{"sharing", "op=atomic-add layout=padded", 2, "0-1", 0, "", "ns", 4.91, 4.9, 5},
	{"sharing", "op=atomic-add layout=one-line/padded", 2, "0-1", 0, "", "ratio", 8.17, 8, 8.3},
	{"locks", "lock=mutex inside=0ns outside=0ns quantity=cost", 1, "0", 0, "", "ns", 14.6,
		14.5, 14.7},
	{"locks", "lock=mutex inside=0ns outside=0ns quantity=throughput", 1, "0", 0, "", "1/s",
		68.4e6, 68e6, 69e6},
	{"locks", "lock=mutex inside=0ns outside=0ns quantity=throughput", 2, "0-1", 0, "", "1/s",
		20.9e6, 20e6, 22e6},
	{"locks", "lock=mutex inside=0ns outside=0ns quantity=min/max", 2, "0-1", 0, "", "ratio",
		0.968, 0.95, 0.98},
	{"locks", "lock=mutex inside=100ns outside=400ns quantity=throughput", 2, "0-1", 0, "",
		"1/s", 3.29e6, 3.2e6, 3.3e6},
	{"tlb", "pages=4KiB access=extra/first-cache", 1, "0", 2, "pages", "ratio", 1, 1, 1},
	{"tlb", "pages=4KiB access=extra/first-cache", 1, "0", 96, "pages", "ratio", 1, 1, 1},
	{"tlb", "pages=4KiB access=extra/first-cache", 1, "0", 128, "pages", "ratio", 2, 2, 2},
	{"tlb", "pages=4KiB access=extra/first-cache", 1, "0", 8192, "pages", "ratio", 11, 10, 12},
	{"tlb", "pages=4KiB level=1 quantity=reach", 1, "0", 0, "", "pages", 96, 96, 96},
	{"tlb", "pages=4KiB level=1 quantity=miss", 1, "0", 0, "", "ns", 1.87, 1.8, 1.9},
	{"tlb", "pages=4KiB level=2 quantity=reach", 1, "0", 0, "", "pages", 2119, 2119, 2119},
	{"tlb", "pages=4KiB level=2 quantity=miss", 1, "0", 0, "", "ns", 12.2, 11.7, 12.4},
	{"pages", "pages=4KiB access=line-a-4KiB", 1, "0", 1 << 24, "bytes", "ns", 16.5, 16, 17},
	{"pages", "pages=4KiB/2MiB access=line-a-4KiB", 1, "0", 1 << 24, "bytes", "ratio", 1.22,
		1.2, 1.23},
	{"openmp", "runtime=libgomp wait=default construct=barrier quantity=time", 2, "0-1", 0, "",
		"ns", 281, 270, 290},
	{"openmp", "runtime=libgomp wait=passive construct=barrier quantity=time", 2, "0-1", 0, "",
		"ns", 17700, 17000, 18000},
	{"openmp", "runtime=libgomp wait=passive construct=barrier quantity=sleeps", 2, "0-1", 0,
		"", "ratio", 0.55, 0.5, 0.6},
	{"timers", "timer=clock_gettime clock=monotonic source=tsc quantity=cost", 1, "0", 0, "",
		"ns", 26.5, 26, 27},
	{"timers", "timer=clock_gettime clock=coarse source=tsc quantity=resolution", 1, "0", 0, "",
		"ns", 4e6, 4e6, 4e6},
	{"timers", "timer=rdtsc clock=counter source=rdtsc quantity=rate", 1, "0", 0, "", "1/s",
		2.7e9, 2.7e9, 2.7e9},
	{"frequency", "op=dependent-add quantity=time", 2, "0-1", 0, "", "ns", 0.277, 0.27, 0.28},
	{"frequency", "op=dependent-add quantity=clock/alone", 2, "0-1", 0, "", "ratio", 0.91, 0.9,
		0.92},
	{"disk", "op=write block=1MiB path=direct", 1, "", 5e8, "bytes", "GB/s", 1.25, 1.2, 1.3},
	{"disk", "op=fsync block=4KiB path=direct", 1, "", 4096, "bytes", "ms", 2.31, 2.2, 2.4},
};

static void add(struct sd_profile *p, const struct sd_bench_row *r)
{
	assert_int_equal(sd_bench_rows_add(&p->rows, r), 0);
}

static struct sd_profile make(void)
{
	struct sd_profile p = {.key = {"node1", "A CPU", "6.1", "0"},
		.granted = 2,
		.seconds = 12,
		.states = {.n = 1, .line = {55e-9}, .seen = {9}},
		.visible_llc = SD_OK(32 << 20)};

	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
		struct sd_bench_row r = {.kernel = measured[i].kernel,
			.cores = measured[i].cores,
			.parameter = measured[i].parameter,
			.parameter_unit = measured[i].parameter_unit,
			.unit = measured[i].unit,
			.n = 5,
			.median = measured[i].median,
			.q1 = measured[i].q1,
			.q3 = measured[i].q3,
			.low = measured[i].q1,
			.high = measured[i].q3,
			.status = SD_STATUS_OK};

		snprintf(r.variant, sizeof r.variant, "%s", measured[i].variant);
		snprintf(r.cpus, sizeof r.cpus, "%s", measured[i].cpus);
		add(&p, &r);
	}
	return p;
}

static char *text_of(const struct sd_profile *p, unsigned width, int ascii)
{
	const struct sd_report_style style = {.width = width, .ascii = ascii};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	assert_int_equal(sd_bench_text(f, p, 0, &style), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void assert_lines(const char *text, const char *const *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strstr(text, line[i])) {
			fputs(text, stderr);
			fail_msg("no \"%s\"", line[i]);
		}
}
#define ASSERT_LINES(text, line) assert_lines(text, line, sizeof(line) / sizeof *(line))

static void the_summary_says_each_ceiling_on_a_line(void **state)
{
	static const char *const line[] = {
		"  memory bandwidth      1 core 24.1 GB/s (scale nt) · 2 cores 43.8 GB/s (write nt)\n",
		/* the best of all, whatever the operation */
		"  with write-allocate   1 core 25.6 GB/s · 2 cores 48.5 GB/s\n",
		"  latency, 4KiB pages   L1 1.31 ns · DRAM 177 ns\n",
		"  last-level cache      effective 16 MiB · 32 MiB visible\n",
		"  line round trip       57.2 ns\n",
		"  data TLB, 4KiB pages  96 entries · a miss +1.87 ns · then 2119 entries · a miss +12.2 ns\n",
		"  mutex                 alone 14.6 ns · 2 cores 20.9 M/s\n",
		"  false sharing costs   2 cores atomic add 8.17x · counter++ 11.2x\n",
		"  OpenMP barrier        2 cores 281 ns · waiting passively 17.7 us\n",
		"  clock all / one busy  2 cores 0.910x\n",
		"  clock_gettime         26.5 ns (tsc)\n",
		"  disk                  write 1.25 GB/s · fsync 2.31 ms\n",
	};
	struct sd_profile p = make();
	char *text = text_of(&p, 100, 0);

	(void)state;
	ASSERT_LINES(text, line);
	/* nobody ran it: not a word */
	assert_null(strstr(text, "atomic add            alone"));
	free(text);
	sd_profile_free(&p);
}

static void tables_have_units_and_quartiles(void **state)
{
	static const char *const line[] = {
		"  0-1          57.2 (56.0-58.0)     51.3 (51.0-52.0)         61.4 (61.0-62.0)     "
		"59.6 (59.0-60.0)\n",
		"  atomic add, on one line  ns        40.2 (40.0-41.0)\n",
		"  one line / padded        ratio     8.17 (8.00-8.30)\n",
		"  mutex   14.6 (14.5-14.7)     68.4 (68.0-69.0)  20.9 (20.0-22.0)    0.968 "
		"(0.950-0.980)\n",
		"3.29 (3.20-3.30)        -\n",
		"  4KiB   1           96      1.87 (1.80-1.90)\n",
		"  4KiB   2         2119      12.2 (11.7-12.4)\n",
		"  4KiB                ns       16.5 (16.0-17.0)\n",
		"  barrier, 2 cores             0.281 (0.270-0.290)     17.7 (17.0-18.0)\n",
		"  sleeps a barrier, 2 cores        -                  0.550 (0.500-0.600)\n",
		"  clock_gettime  monotonic  tsc     26.5 ns (26.0-27.0)           -\n",
		"4.00 ms (4.00-4.00)\n",
		"  rdtsc counts at 2.70 GHz\n",
		"  2 cores      0.277 (0.270-0.280)              0.910 (0.900-0.920)\n",
		"  fsync  4KiB   ms      2.31 (2.20-2.40)\n",
		"  past the page cache\n",
	};
	struct sd_profile p = make();
	char *text = text_of(&p, 100, 0);

	(void)state;
	ASSERT_LINES(text, line);
	free(text);
	sd_profile_free(&p);
}

static void no_line_is_wider_than_the_page(void **state)
{
	static const unsigned width[] = {60, 72, 80, 100, 200};
	struct sd_profile p = make();

	(void)state;
	for (size_t i = 0; i < sizeof width / sizeof *width; i++)
		for (int ascii = 0; ascii < 2; ascii++) {
			char *text = text_of(&p, width[i], ascii), *rest = NULL;

			for (char *l = strtok_r(text, "\n", &rest); l;
				l = strtok_r(NULL, "\n", &rest)) {
				if (sd_page_columns(l) > width[i])
					fail_msg("%zu columns of %u: %s", sd_page_columns(l),
						width[i], l);
				for (const char *c = l; ascii && *c; c++)
					assert_true((unsigned char)*c < 0x80);
			}
			free(text);
		}
	sd_profile_free(&p);
}

static void a_missing_number_is_a_word_and_its_reason_is_said_once(void **state)
{
	static const char *const line[] = {
		"  OpenMP barrier        not known: no time was left\n",
		"absent",
		"  not known: 2 numbers: no time was left\n",
	};
	struct sd_profile p = {.key = {"", "A CPU", "", ""}};
	struct sd_bench_row r = {.kernel = "openmp",
		.variant = "runtime=libgomp wait=default construct=barrier quantity=time",
		.cores = 2,
		.unit = "ns",
		.parameter_unit = "",
		.status = SD_STATUS_ABSENT,
		.why = "no time was left"};
	char *text;

	(void)state;
	add(&p, &r);
	snprintf(r.variant, sizeof r.variant,
		"runtime=libgomp wait=default construct=reduction quantity=time");
	add(&p, &r);
	text = text_of(&p, 100, 0);
	ASSERT_LINES(text, line);
	assert_null(strstr(text, "0.00"));
	free(text);
	sd_profile_free(&p);
}

static void noisy_numbers_are_marked(void **state)
{
	struct sd_profile p = make();
	char *text;

	(void)state;
	for (size_t i = 0; i < p.rows.n; i++)
		if (strcmp(p.rows.row[i].kernel, "openmp") == 0)
			p.rows.row[i].status = SD_STATUS_NOISY;
	text = text_of(&p, 100, 0);
	assert_non_null(strstr(text, "2 cores 281 ns? · waiting passively 17.7 us?"));
	assert_non_null(strstr(text, "0.281? (0.270-0.290)"));
	free(text);
	sd_profile_free(&p);
}

static void a_refused_cache_is_called_noisy_and_is_no_size(void **state)
{
	struct sd_profile p = make();
	char *text;

	(void)state;
	for (size_t i = 0; i < p.rows.n; i++) {
		struct sd_bench_row *const r = &p.rows.row[i];

		if (strcmp(r->variant, "effective=LLC pages=4KiB") != 0)
			continue;
		r->status = SD_STATUS_NOISY;
		r->n = 0;
		r->median = r->q1 = r->q3 = 0;
		snprintf(r->why, sizeof r->why, "refused: it is not more than the L2");
	}
	text = text_of(&p, 100, 0);
	assert_non_null(strstr(text, "last-level cache      effective noisy · 32 MiB visible\n"));
	assert_non_null(strstr(text, "refused: it is not more than the L2"));
	assert_null(strstr(text, "really holds"));
	assert_null(strstr(text, " 0 B"));
	free(text);
	sd_profile_free(&p);
}

static void two_states_are_two_tables_and_never_mixed(void **state)
{
	struct sd_profile p = make();
	char *text, *near, *far;

	(void)state;
	p.states = (struct sd_machine_states){.n = 2, .line = {55e-9, 250e-9}, .seen = {9, 3}};
	for (size_t i = 0, n = p.rows.n; i < n; i++) {
		struct sd_bench_row r = p.rows.row[i];

		if (strcmp(r.kernel, "sharing") != 0)
			continue;
		r.state = 1;
		r.median *= 5;
		add(&p, &r);
	}
	text = text_of(&p, 100, 0);
	near = strstr(text, "False sharing: an increment of the thread's own counter, near state");
	far = strstr(text, "False sharing: an increment of the thread's own counter, far state");
	assert_non_null(near);
	assert_non_null(far);
	assert_true(strstr(near, "40.2 (") < far);
	assert_non_null(strstr(far, "201 ("));
	assert_null(strstr(far, "40.2 ("));
	assert_non_null(strstr(text, "In short, near state"));
	assert_non_null(strstr(text, "In short, far state"));
	/* what has no state is said once */
	near = strstr(text, "data TLB, 4KiB pages");
	assert_non_null(near);
	assert_null(strstr(near + 1, "data TLB, 4KiB pages"));
	free(text);
	for (size_t i = 0; i < p.rows.n; i++)
		p.rows.row[i].state = 1;
	p.states.seen[1] = 30;
	text = text_of(&p, 100, 0);
	assert_non_null(
		strstr(text, "In short, near state\n  no such number came out in this state"));
	free(text);
	sd_profile_free(&p);
}

/* Ceilings and their meaning are the screen; what it leaves out stands in the long text. */
static void the_first_screen_has_ceilings_and_what_they_mean(void **state)
{
	static const char *const line[] = {
		"  memory bandwidth      1 core 24.1 GB/s (scale nt) · 2 cores 43.8 GB/s (write nt)\n"
		"    loops over arrays larger than the cache share it",
		"  last-level cache      effective 16 MiB · 32 MiB visible\n    all cores together",
		"calibrate --long --read n; "};
	struct sd_profile p = make();
	char *text = NULL;
	size_t n, lines = 0;
	FILE *const f = open_memstream(&text, &n);

	(void)state;
	assert_non_null(f);
	assert_int_equal(sd_bench_brief(f, &p, "n", &(struct sd_report_style){.width = 100}), 0);
	assert_int_equal(fclose(f), 0);
	ASSERT_LINES(text, line);
	assert_null(strstr(text, "clock_gettime"));
	assert_null(strstr(text, "with write-allocate"));
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_in_range(lines, 1, 24);
	free(text);
	sd_profile_free(&p);
}

static void numbers_have_the_unit_that_fits(void **state)
{
	static const struct {
		double value;
		enum sd_scale scale;
		const char *text;
	} rows[] = {{264, SD_SCALE_TIME, "264 ns"}, {17700, SD_SCALE_TIME, "17.7 us"},
		{5480, SD_SCALE_TIME, "5.48 us"}, {4e6, SD_SCALE_TIME, "4.00 ms"},
		{2.5e9, SD_SCALE_TIME, "2.50 s"}, {264, SD_SCALE_MICRO, "0.264"},
		{20.9e6, SD_SCALE_MEGA, "20.9"}, {2.7e9, SD_SCALE_RATE, "2.70 GHz"},
		{2119, SD_SCALE_WHOLE, "2119"}, {16 << 20, SD_SCALE_BYTES, "16 MiB"},
		{0.968, SD_SCALE_PLAIN, "0.968"}, {0, SD_SCALE_PLAIN, "0.00"}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[32];

		sd_bench_scaled(rows[i].value, rows[i].scale, text, sizeof text);
		assert_string_equal(text, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_summary_says_each_ceiling_on_a_line),
		cmocka_unit_test(tables_have_units_and_quartiles),
		cmocka_unit_test(no_line_is_wider_than_the_page),
		cmocka_unit_test(a_missing_number_is_a_word_and_its_reason_is_said_once),
		cmocka_unit_test(noisy_numbers_are_marked),
		cmocka_unit_test(a_refused_cache_is_called_noisy_and_is_no_size),
		cmocka_unit_test(two_states_are_two_tables_and_never_mixed),
		cmocka_unit_test(the_first_screen_has_ceilings_and_what_they_mean),
		cmocka_unit_test(numbers_have_the_unit_that_fits),
	};

	return cmocka_run_group_tests_name("report_bench_sections", tests, NULL, NULL);
}
