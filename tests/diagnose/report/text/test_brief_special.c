/* The first screen where the answer is not one cause of a loss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/report/text/brief_screen.h"

static void a_program_that_gets_slower_is_called_slower(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, "hold it for less");
	a.point[1].speedup = make_half(.2, .01);
	a.point[1].efficiency = make_half(.1, .005);
	text = brief(&r, &a, 25);
	must_have(text, "Negative scaling: 2 cores are 5x slower than 1 ");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void growth_that_no_cause_was_found_for_says_what_is_open(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_hostile(&r, &a);
	text = brief(&r, &a, 45);
	check_golden("brief-hostile.txt", text);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	must_have(text, "Work inflation costs 3.72 of 8 cores (cause not found");
	must_have(text, "still possible: shared cache capacity, false");
	must_have(text, "go on with scalediag --resume app.scalediag.json");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void background_load_stands_above_and_is_no_cause(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_finding *f;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "make it parallel");
	f = make_first(&a, 0, SD_CAUSE_NOISE, SD_VERDICT_LIKELY);
	f->cores = make_half(.7, .02);
	f->share = make_half(.35, .01);
	text = brief(&r, &a, 25);
	must_have(text, "! Background load took 0.70 of 2 cores: stop it (or run as root) and try "
			"again.");
	must_have(text, "1. Serial code costs");
	assert_null(strstr(text, "2. "));
	assert_true(strstr(text, "! Background") < strstr(text, "1. Serial"));
	free(text);
	/* the precedence that root's runs have was refused */
	r.plan.no_shield = 1;
	text = brief(&r, &a, 25);
	must_have(text, "of 2 cores: stop it (or leave out --no-shield) and\n  try again.");
	free(text);
	/* what runs already is given none */
	r.program.attached = strdup("app");
	text = brief(&r, &a, 25);
	must_have(text, "of 2 cores: stop it and try again.");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* A quick look, and one that had no time for an experiment, say what more time would narrow. */
static void what_more_time_would_narrow_is_said(void **state)
{
	struct sd_tested tested = {.experiment = SD_EXPERIMENT_REPLICAS};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "make it parallel");
	a.tested = &tested;
	a.n_tested = 1;
	text = brief(&r, &a, 25);
	assert_null(strstr(text, "More time"));
	free(text);
	a.finding[0].cores = make_half(.63, .2);
	tested.lacked_time = 1;
	text = brief(&r, &a, 25);
	must_have(text, "More time would narrow: serial code (0.43 to 0.83).");
	must_have(text, "--experiments replicas");
	free(text);
	a.n_tested = 0;
	r.plan.quick = 1;
	r.plan.min_repeats = 2;
	text = brief(&r, &a, 25);
	must_have(text, "serial code (0.43 to 0.83). Quick look: 2 runs a count");
	free(text);
	/* of what may scale or not, that is the first question; of what surely does not, none */
	a.scales = SD_SCALES_UNKNOWN;
	a.point[a.n_point - 1].efficiency = make_half(.9, .08);
	text = brief(&r, &a, 25);
	must_have(
		text, "More time would narrow: whether it scales (efficiency 82 to 98 %), serial");
	free(text);
	a.point[a.n_point - 1].efficiency = make_half(.6, .2);
	text = brief(&r, &a, 25);
	assert_null(strstr(text, "whether it scales (eff"));
	must_have(text, "More time would narrow: serial");
	free(text);
	a.scales = SD_SCALES_NO;
	/* what is known closely is not narrowed */
	a.finding[0].cores = make_half(.63, .02);
	text = brief(&r, &a, 25);
	assert_null(strstr(text, "More time"));
	must_have(text, "Quick look");
	free(text);
	a.tested = NULL;
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* The name of an imported file is no command to run. */
static void what_was_imported_is_no_command(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "make it parallel");
	a.finding[0].next = strdup("scalediag --experiments all PROGRAM");
	text = brief(&r, &a, 25);
	must_have(text, "--experiments all ./app");
	free(text);
	sd_texts_add(&r.warnings, "imported: from a table");
	text = brief(&r, &a, 25);
	must_have(text, "--experiments all APP");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* A program that never got the count: that is asked first. */
static void one_thread_asks_for_the_count(void **state)
{
	const struct sd_value none = {0, SD_STATUS_OK}, some = {1, SD_STATUS_OK};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "make it parallel");
	a.constructs = (struct sd_constructs){none, none, none};
	text = brief(&r, &a, 25);
	must_have(text, "Only one thread");
	free(text);
	/* work that grows with the cores scales well by its times, if nobody does it */
	a.scales = SD_SCALES_YES;
	text = brief(&r, &a, 25);
	must_have(text, "Only one thread");
	free(text);
	a.constructs.threads = some;
	text = brief(&r, &a, 25);
	assert_null(strstr(text, "Only one thread"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void nothing_is_made_of_nothing(void **state)
{
	struct sd_record r;
	struct sd_analysis a = {0};
	const unsigned both[] = {1, 2};
	char *text;

	(void)state;
	make_record(&r, both, 2);
	r.plan.n_point = r.host.granted = 1;
	make_findings(&a, SD_VERDICT_NOT_MEASURABLE);
	text = brief(&r, &a, 25);
	must_have(text, "No run came to a good end");
	free(text);
	a.n_point = 1;
	a.point = make_zeroed(1, sizeof *a.point);
	a.point[0] = make_point(1, 1, .1, 1);
	text = brief(&r, &a, 25);
	must_have(text, "Only 1 CPU is granted here");
	free(text);
	r.host.granted = 4;
	text = brief(&r, &a, 25);
	must_have(text, "Only one core count was measured");
	free(text);
	r.plan.n_point = 2; /* the others failed, or had no turn */
	text = brief(&r, &a, 25);
	must_have(text, "Only the runs at 1 core came to a good end");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* 128 counts take no more lines than a few. */
static void many_counts_do_not_bury_the_answer(void **state)
{
	unsigned cores[128];
	struct sd_record r;
	struct sd_analysis a = {.n_point = 128, .scales = SD_SCALES_NO};
	char *text;

	(void)state;
	for (unsigned i = 0; i < 128; i++)
		cores[i] = i + 1;
	make_record(&r, cores, 128);
	make_findings(&a, SD_VERDICT_RULED_OUT);
	a.point = make_zeroed(128, sizeof *a.point);
	for (unsigned i = 0; i < 128; i++) {
		a.point[i] = make_point(i + 1, 10. / (i + 1) + 1, .01, 11);
		a.point[i].stack[SD_COMPONENT_USEFUL] = a.point[i].speedup;
		a.point[i].stack[SD_COMPONENT_SERIAL] =
			make_half(i + 1 - a.point[i].speedup.value, .01);
	}
	text = brief(&r, &a, 25);
	must_have(text, "128 counts from 1 to 128 cores");
	must_have(text, "\n      1 ");
	must_have(text, "\n    128 ");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Ranks are located by the calls they wait in, or by whom they wait for. */
static void what_ranks_lose_is_where_they_call(void **state)
{
	static const struct {
		enum sd_cause cause;
		enum sd_component component;
		const char *where;
	} rows[] = {
		{SD_CAUSE_MPI, SD_COMPONENT_MPI,
			"where   MPI_Send() at exchange() halo.c:12: 80 calls"},
		{SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE,
			"where   ranks 1-7 wait 1.2 s each for rank 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;
		struct sd_analysis a;
		char *text;

		make_one_cause(&r, &a, rows[i].cause, rows[i].component, "fewer and larger");
		a.ranks.known = a.ranks.divided = 1;
		assert_int_equal(
			sd_texts_add(&a.ranks.calls, "MPI_Send() at exchange() halo.c:12: 80 "
						     "calls, 1.2 s of all ranks"),
			0);
		assert_int_equal(
			sd_texts_add(&a.ranks.waits, "ranks 1-7 wait 1.2 s each for rank 0 in "
						     "MPI_Allreduce(), sum() halo.c:30"),
			0);
		text = brief(&r, &a, 25);
		must_have(text, rows[i].where);
		free(text);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* Nobody changes the kernel's code: the first sentence says what it is, and not where in there. */
static void the_first_sentence_names_no_function_of_the_kernel(void **state)
{
	(void)state;
	for (int kernel = 0; kernel < 2; kernel++) {
		struct sd_record r;
		struct sd_analysis a;
		char *text, *first;

		make_one_cause(&r, &a, SD_CAUSE_KERNEL_MEMORY, SD_COMPONENT_SYSTEM, "reuse memory");
		a.finding[0].where[0].module = strdup(kernel ? "[kernel]" : "/bin/app");
		text = brief(&r, &a, 25);
		must_have(text, "where   lookup()");
		first = strstr(text, "lookup()");
		assert_int_equal(!strstr(first + 1, "lookup()"), kernel);
		free(text);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* Two causes that are sure: what both fixes gain is not left to the reader. */
static void the_second_cause_says_what_both_are_worth(void **state)
{
	(void)state;
	for (int sure = 0; sure < 2; sure++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_finding *f;
		char *text;

		make_one_cause(&r, &a, SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "overlap it");
		a.finding[0].worth = make_half(1 / .75, .02); /* a quarter of the cores */
		f = make_first(&a, 1, SD_CAUSE_LOAD_IMBALANCE,
			sure ? SD_VERDICT_LIKELY : SD_VERDICT_POSSIBLE);
		f->cores = make_half(.5, .02);
		f->share = make_half(.25, .01);
		f->worth = make_half(1 / .75, .02);
		text = brief(&r, &a, 40);
		must_have(text, "1.33x faster on 2 cores");
		assert_int_equal(strstr(text, "with those above") != NULL, sure);
		assert_int_equal(strstr(text, "2.00x faster") != NULL, sure);
		free(text);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* The times say that it does not scale; whose doing that is, what disturbed them hides. More runs
 * would not tell. */
static void what_others_hide_is_not_for_more_runs(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE,
		"hand out smaller parts: schedule(dynamic) in lookup()");
	a.scales = SD_SCALES_UNKNOWN;
	a.point[1].speedup = make_half(1.3, .06);
	a.point[1].efficiency = make_half(.65, .03);
	a.finding[0].verdict = SD_VERDICT_POSSIBLE;
	text = brief(&r, &a, 25);
	must_have(text, "what disturbed the runs may be all of the loss");
	assert_null(strstr(text, "vary too much"));
	free(text);
	a.point[1].speedup = make_half(10, 8.6); /* whose middle is no answer */
	a.point[1].efficiency = make_half(5, 4.3);
	text = brief(&r, &a, 25);
	must_have(text, "runs on 2 cores give 1.40x to 18.60x");
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* A twentieth of a cause is not where it is, nor is an interpreter. */
static void the_first_sentence_names_no_place_of_many(void **state)
{
	static const double shares[] = {.05, .6, .6};

	(void)state;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		struct sd_record r;
		struct sd_analysis a;
		char *text;

		make_one_cause(&r, &a, SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "overlap it");
		a.finding[0].where[0].share = shares[i];
		a.finding[0].where[0].interpreter = i == 2;
		text = brief(&r, &a, 25);
		assert_int_equal(strstr(text, "(), worth") != NULL, i == 1);
		must_have(text, "where   lookup()");
		free(text);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_gets_slower_is_called_slower),
		cmocka_unit_test(growth_that_no_cause_was_found_for_says_what_is_open),
		cmocka_unit_test(background_load_stands_above_and_is_no_cause),
		cmocka_unit_test(what_more_time_would_narrow_is_said),
		cmocka_unit_test(one_thread_asks_for_the_count),
		cmocka_unit_test(what_was_imported_is_no_command),
		cmocka_unit_test(nothing_is_made_of_nothing),
		cmocka_unit_test(many_counts_do_not_bury_the_answer),
		cmocka_unit_test(what_ranks_lose_is_where_they_call),
		cmocka_unit_test(the_first_sentence_names_no_function_of_the_kernel),
		cmocka_unit_test(the_second_cause_says_what_both_are_worth),
		cmocka_unit_test(the_first_sentence_names_no_place_of_many),
		cmocka_unit_test(what_others_hide_is_not_for_more_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
