#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/report/text/brief_screen.h"

/*
 * The reader test: false sharing, mutex, serial code, imbalance; a program that scales; bandwidth;
 * a peak at 32 of 64 cores; undecided. They are made by hand, number by number: a machine that is
 * shared with others cannot make the same record twice, and few have 64 cores.
 */

static void the_first_screen_has_cause_place_fix_and_payoff(void **state)
{
	static const struct {
		enum sd_cause cause;
		enum sd_component component;
		const char *advice, *title;
	} rows[] = {
		{SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, "hold the lock for less",
			"1. Lock contention costs 0.63 of 2 cores (likely; 95 %: 0.61 to 0.65)"},
		{SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "make it parallel",
			"1. Serial code costs 0.63 of 2 cores (likely; 95 %: 0.61 to 0.65)"},
		{SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE, "schedule(dynamic)",
			"1. Load imbalance costs 0.63 of 2 cores (likely; 95 %: 0.61 to 0.65)"},
		{SD_CAUSE_FALSE_SHARING, SD_COMPONENT_GROWTH, "128 bytes apart",
			"1. False sharing costs 0.63 of 2 cores (likely; 95 %: 0.61 to 0.65)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;
		struct sd_analysis a;
		char *text;

		make_one_cause(&r, &a, rows[i].cause, rows[i].component, rows[i].advice);
		if (rows[i].component == SD_COMPONENT_GROWTH)
			a.growth = &sd_cause_info[rows[i].cause];
		text = brief(&r, &a, 25);
		must_have(text, "Poor scaling: 1.30x speedup on 2 cores (65 ±1 % efficiency)");
		must_have(text, "Main cause: ");
		must_have(text, rows[i].title);
		must_have(text, "where   lookup() mutex.cpp:11 (79 %)");
		must_have(text, rows[i].advice);
		must_have(text, "1.46x faster on 2 cores");
		must_have(text, "next    scalediag report --long app.scalediag.json");
		must_have(text, "  <- 1\n");
		free(text);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* A region of a function, and code without a symbol: each as it is read in a sentence. */
static void the_headline_names_code_that_has_no_name(void **state)
{
	static const char *const row[][2] = {
		{"main._omp_fn.0 [imb.c:7]", "imbalance in the parallel region at imb.c:7, worth"},
		{"main._omp_fn.0", "imbalance in the parallel region in main(), worth"},
		{"[libx.so.1+0x10]", "imbalance in [libx.so.1+0x10], worth"},
	};
	struct sd_record r;
	struct sd_analysis a;
	char *text, *joined;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		make_one_cause(&r, &a, SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE,
			"schedule(dynamic)");
		free(a.finding[0].where[0].function);
		a.finding[0].where[0].function = strdup(row[i][0]);
		text = brief(&r, &a, 25);
		/* wherever the line ended */
		joined = strdup(text);
		for (char *p = joined; (p = strstr(p, "\n  "));)
			memmove(p, p + 2, strlen(p + 2) + 1);
		must_have(joined, row[i][1]);
		if (i == 0)
			must_have(text, "where   parallel region at imb.c:7, mutex.cpp:11 (79 %)");
		free(joined);
		free(text);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* Which lock it is, who takes it and who holds it meanwhile; the headline names who takes it. */
static void the_lock_is_named_that_most_waits_are_for(void **state)
{
	struct sd_where waiter = {.function = (char *)(uintptr_t) "part(int)",
				.file = (char *)(uintptr_t) "/src/part.c",
				.line = 23,
				.share = .9},
			holder = {.function = (char *)(uintptr_t) "work",
				.file = (char *)(uintptr_t) "/src/work.h",
				.line = 26,
				.share = .8};
	struct sd_lock_row lock = {.kind = "mutex",
		.waits = 900,
		.busy = SD_OK(.4),
		.waiter = &waiter,
		.n_waiter = 1,
		.holder = &holder,
		.n_holder = 1};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, "hold it for less");
	a.lock = &lock;
	a.n_lock = 1;
	text = brief(&r, &a, 25);
	must_have(text, "contention in part(), worth");
	must_have(text, "lock    mutex, taken in part() part.c:23, held in work() work.h:26\n");
	free(text);
	lock.name = (char *)(uintptr_t) "cache_lock";
	text = brief(&r, &a, 25);
	must_have(text, "lock    cache_lock (mutex), taken in part()");
	free(text);
	/* nobody waits for it: the others' lines are what costs */
	for (int k = 0; k < 2; k++) {
		lock.waits = k ? 900 : 0;
		lock.busy = SD_OK(k ? 1e-5 : .4);
		text = brief(&r, &a, 25);
		assert_null(strstr(text, "taken in"));
		free(text);
	}
	lock.busy = SD_OK(.4);
	/* their stacks end in the C library: who takes it is not known */
	waiter.module = (char *)(uintptr_t) "/lib/x86_64-linux-gnu/libc.so.6";
	text = brief(&r, &a, 25);
	must_have(text, "contention in lookup(), worth");
	must_have(text, "lock    cache_lock (mutex), held in work() work.h:26");
	free(text);
	waiter.module = NULL;
	/* none is surely the one */
	waiter.share = .4;
	text = brief(&r, &a, 25);
	must_have(text, "contention in lookup(), worth");
	assert_null(strstr(text, "taken in"));
	free(text);
	a.lock = NULL;
	a.n_lock = 0;
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void where_every_core_makes_it_slower_one_is_recommended(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, "hold it for less");
	a.outlook.last = a.outlook.stops_known = 2;
	a.outlook.stops = a.outlook.stops_high = a.outlook.stops_low = 1;
	text = brief(&r, &a, 25);
	must_have(text, "Use at most 1 core: ");
	free(text);
	a.point[1].speedup = make_half(.5, .05);
	a.point[1].efficiency = make_half(.25, .025);
	text = brief(&r, &a, 25);
	must_have(text, "Negative scaling: 2 cores are 2x slower than 1");
	must_have(text, "Use 1 core: more make it slower.");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void several_counts_are_a_table_of_where_the_time_goes(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	text = brief(&r, &a, 40);
	check_golden("brief-stencil.txt", text);
	must_have(text, "(% of all cores)");
	must_have(text, "bandwidth in relax()");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void a_program_that_scales_is_said_to_scale(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_scaling(&r, &a);
	a.point[0].runs = a.point[1].runs = 5;
	text = brief(&r, &a, 25);
	check_golden("brief-scaling.txt", text);
	must_have(text, "Scales well: 1.98x speedup on 2 cores (99 ±");
	assert_null(strstr(text, "Main cause"));
	assert_null(strstr(text, "1. "));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void a_curve_that_falls_behind_its_peak_is_called_that(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	a.point[3].speedup = make_half(1.2, .05);
	a.point[3].efficiency = make_half(.15, .01);
	text = brief(&r, &a, 40);
	must_have(text, "Peaks at 4 cores (2.62x speedup), falls to 1.20x on 8 (15 ±1 % "
			"efficiency)");
	free(text);
	/* not when the last may be as fast */
	a.point[3].speedup = make_half(2.6, .1);
	text = brief(&r, &a, 40);
	assert_null(strstr(text, "Peaks"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* 1 to 64 cores: 9.0x at 32, 7.4x at 64. */
static void a_peak_at_32_of_64_is_the_headline(void **state)
{
	static const unsigned cores[] = {1, 2, 4, 8, 16, 32, 64};
	static const double speedup[] = {1, 1.9, 3.5, 6, 8.4, 9, 7.4};
	struct sd_record r;
	struct sd_analysis a = {.n_point = 7, .scales = SD_SCALES_NO};
	struct sd_finding *f;
	char *text;

	(void)state;
	make_record(&r, cores, 7);
	make_findings(&a, SD_VERDICT_RULED_OUT);
	a.point = make_zeroed(7, sizeof *a.point);
	for (size_t i = 0; i < 7; i++) {
		a.point[i] = make_point(cores[i], 10 / speedup[i], .01, 10);
		a.point[i].stack[SD_COMPONENT_USEFUL] = a.point[i].speedup;
		a.point[i].stack[SD_COMPONENT_LOCK] = make_half(cores[i] - speedup[i], .01);
	}
	f = make_first(&a, 0, SD_CAUSE_LOCK_CONTENTION, SD_VERDICT_CONFIRMED);
	f->cores = make_half(56.6, .2);
	f->share = make_half(.88, .01);
	f->worth = make_half(6.1, .2);
	f->where = make_zeroed(1, sizeof *f->where);
	f->n_where = 1;
	f->where[0] = (struct sd_where){
		.function = strdup("insert(Table<long, std::allocator<long> >&, long)"),
		.file = strdup("/home/user/src/table.cpp"),
		.line = 40,
		.share = .97};
	sd_texts_add(&f->advice, "one table for each thread, merged at the end");
	text = brief(&r, &a, 25);
	must_have(text, "Peaks at 32 cores (9.00x speedup), falls to 7.40x on 64 (12 ±");
	must_have(text, "Main cause: lock contention in insert(), worth 6.10x");
	must_have(text, "where   insert() table.cpp:40 (97 %)");
	must_have(text, "fix     one table for each thread");
	must_have(text, "payoff  6.10x faster on 64 cores");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* Three causes, a banner, warnings, long names and a forecast take no more than 40 lines. */
static void three_causes_beside_load_fit_a_screen(void **state)
{
	static const enum sd_cause more[] = {SD_CAUSE_SERIAL_CODE, SD_CAUSE_LOAD_IMBALANCE};
	struct sd_record r;
	struct sd_analysis a;
	struct sd_finding *f;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK,
		"shorten the critical section: whatever does not need the lock belongs outside "
		"of it; or divide the data, so that each part has a lock of its own, and most "
		"threads meet at another one");
	for (size_t i = 0; i < 2; i++) {
		f = make_first(&a, 1 + (int)i, more[i], SD_VERDICT_LIKELY);
		f->cores = make_half(.3, .02);
		f->share = make_half(.15, .01);
		f->worth = make_half(1.2, .02);
		f->where = make_zeroed(1, sizeof *f->where);
		f->n_where = 1;
		f->where[0] = (struct sd_where){
			.function = strdup("solve(std::vector<double, std::allocator<double> > "
					   "const&, std::vector<double> const&)"),
			.file = strdup("/home/user/src/solver/conjugate_gradient.cpp"),
			.from = strdup("main"),
			.line = 11,
			.share = .79};
		sd_texts_add(&f->advice, "%s", a.finding[0].advice.text[0]);
	}
	f = make_first(&a, 0, SD_CAUSE_NOISE, SD_VERDICT_LIKELY);
	f->cores = make_half(.7, .02);
	f->share = make_half(.35, .01);
	for (int i = 0; i < 4; i++)
		sd_texts_add(&r.warnings,
			"%d: something was not as it should be while the program ran, and that "
			"is a sentence of some length",
			i);
	text = brief(&r, &a, 40);
	assert_int_equal(count(text, "   where   "), 3);
	assert_int_equal(count(text, "   fix     "), 3);
	assert_int_equal(count(text, "   payoff  "), 3);
	must_have(text, "! Background load");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* One cause beside load, with a little of everything: no more than 25, and nothing that is left out
 * of the stack is more than the last row says. */
static void a_little_of_everything_fits_a_screen(void **state)
{
	static const enum sd_component little[] = {SD_COMPONENT_SYSTEM, SD_COMPONENT_IMBALANCE,
		SD_COMPONENT_SERIAL, SD_COMPONENT_SPINNING, SD_COMPONENT_DISK, SD_COMPONENT_SLEEP,
		SD_COMPONENT_THREADS};
	struct sd_record r;
	struct sd_analysis a;
	struct sd_finding *f;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK,
		"shorten the critical section: whatever does not need the lock belongs outside "
		"of it; or divide the data");
	sd_texts_add(&r.program.argv, "a folder whose name takes a line of its own, all but alone");
	for (size_t i = 0; i < sizeof little / sizeof *little; i++)
		a.point[1].stack[little[i]] = make_half(.05 + .02 * (double)i, .02);
	a.point[1].stack[SD_COMPONENT_RUN_QUEUE] = make_half(.4, .1);
	f = make_first(&a, 1, SD_CAUSE_NOISE, SD_VERDICT_POSSIBLE);
	f->cores = make_half(.4, .1);
	f->share = make_half(.2, .05);
	sd_texts_add(&r.warnings, "something was not as it should be while the program ran, and "
				  "that is a sentence of some length");
	text = brief(&r, &a, 25);
	must_have(text, "! Background load");
	must_have(text, "runnable, but no free CPU");
	must_have(text, "waiting for locks");
	must_have(text, "< 0.20 each");
	assert_null(strstr(text, "timed sleep"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_screen_has_cause_place_fix_and_payoff),
		cmocka_unit_test(the_headline_names_code_that_has_no_name),
		cmocka_unit_test(the_lock_is_named_that_most_waits_are_for),
		cmocka_unit_test(where_every_core_makes_it_slower_one_is_recommended),
		cmocka_unit_test(several_counts_are_a_table_of_where_the_time_goes),
		cmocka_unit_test(a_program_that_scales_is_said_to_scale),
		cmocka_unit_test(a_curve_that_falls_behind_its_peak_is_called_that),
		cmocka_unit_test(a_peak_at_32_of_64_is_the_headline),
		cmocka_unit_test(three_causes_beside_load_fit_a_screen),
		cmocka_unit_test(a_little_of_everything_fits_a_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
