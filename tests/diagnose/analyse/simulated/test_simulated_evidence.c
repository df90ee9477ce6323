/*
 * Statements of a simulated run on a known loss: the cause is named with the line and the code, is
 * worth what its moves cost here and never more than the growth, and a model never confirms
 * anything.
 */
#include "diagnose/analyse/simulated/simulated_record.h"
#include "support/make_samples.h"
#include "analysis/contested_lines.h"
#include "simulated/line_words.h"

static void false_sharing_is_named_with_its_line_and_code(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	const struct sd_finding *f;

	(void)state;
	make(&r, &one, &eight);
	/* 50e6 moves at 100 ns: 5 of 20 core-seconds, 2 of 8 cores */
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	assert_near(f->cores.value, 2, .05);
	assert_true(f->cores.low <= f->cores.value && f->cores.value <= f->cores.high);
	assert_true(says(f, "simulated") && says(f, "counters+0x40"));
	assert_int_equal(f->n_where, 1);
	assert_string_equal(f->where[0].function, "increment");
	assert_int_equal(f->where[0].line, 12);
	assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	/* two of the four cores of growth are left */
	assert_true(sd_has(a.undecided));
	assert_near(a.undecided.value, 2, .1);
	done(&r, &a);
}

static void a_cause_is_never_worth_more_than_the_growth(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	double sum;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 5e9);
	make_false_line(&r, eight, 5e9);
	snprintf(eight->sampled, sizeof eight->sampled, "9 %% of it");
	for (size_t i = 0; i < EIGHT; i++)
		eight->thread[i].stlb_misses = 1e9;
	analyse(&r, &a);
	assert_true(says(finding_of(&a, SD_CAUSE_DTLB), "the model saw 9 % of it"));
	sum = finding_of(&a, SD_CAUSE_FALSE_SHARING)->cores.value +
	      finding_of(&a, SD_CAUSE_DTLB)->cores.value;
	assert_true(sum <= 4.05);
	assert_near(sum, 4, .1);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_LIKELY);
	assert_false(sd_has(a.undecided));
	done(&r, &a);
}

static void the_same_bytes_are_true_sharing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	struct sd_sim_contested *l;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	l = make_false_line(&r, eight, 50e6);
	l->sharing = SD_SIM_TRUE;
	l->separated = SD_NOT(ABSENT);
	for (size_t i = 0; i < l->n_sharer; i++)
		l->sharer[i].written = l->sharer[i].read = 0xff;
	analyse(&r, &a);
	assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_LIKELY);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->n_where, 0);
	done(&r, &a);
}

/* A count that all write beside what all only read: the line moves because of the count alone, and
 * stays when it is gone. Where a thread writes bytes of its own beside it, both are at work. */
static void what_is_only_read_beside_shared_bytes_moves_with_them(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;
		struct sd_sim_contested *l;

		make(&r, &one, &eight);
		set_hitm(eight, 50e6);
		l = make_false_line(&r, eight, 50e6);
		l->sharing = SD_SIM_MIXED;
		l->separated = SD_OK(25e6);
		for (size_t i = 0; i < l->n_sharer; i++) {
			l->sharer[i].written = 0xff;
			l->sharer[i].read = 0xff00ff;
		}
		if (own)
			l->sharer[0].written |= 0xffull << 32;
		analyse(&r, &a);
		assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_LIKELY);
		assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
			own ? SD_VERDICT_LIKELY : SD_VERDICT_RULED_OUT);
		done(&r, &a);
	}
}

/* The place is where the user can change something, not what a library inlined there. */
static void the_place_is_the_users_code(void **state)
{
	static const char app[] = "/home/me/app", std[] = "/rustc/59807616/library/core/src/a.rs";
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	struct sd_sim_contested *l;
	const struct sd_finding *f;
	unsigned tally;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	l = make_false_line(&r, eight, 50e6);
	tally = make_call(&r, 0, "tally", "/home/me/app.rs", 6, app);
	for (size_t i = 0; i < l->n_code; i++)
		l->code[i].node = make_call(
			&r, make_call(&r, tally, "fetch_add", std, 9, app), "add", std, 3, app);
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
	assert_int_equal(f->n_where, 1);
	assert_string_equal(f->where[0].function, "tally");
	assert_string_equal(f->where[0].in, "fetch_add");
	assert_int_equal(f->where[0].line, 6);
	done(&r, &a);
}

static void what_moves_no_line_is_not_sharing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	analyse(&r, &a);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_DTLB)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict, SD_VERDICT_RULED_OUT);
	done(&r, &a);
}

/* Growth scatters around what matters in a program that does more than wait. */
static void what_may_matter_or_not_is_possible_with_its_number(void **state)
{
	static const struct sample small = {.wall = 1.6, .user = 11};
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	const struct sd_finding *f;

	(void)state;
	make_of(&r, &small, .05, &one, &eight);
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_true(f->share.value >= .05 && f->share.low < .05);
	assert_int_equal(finding_of(&a, SD_CAUSE_DTLB)->cores.status, SD_STATUS_ABSENT);
	done(&r, &a);
}

static void without_calibration_a_miss_has_no_price(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	const struct sd_finding *f;

	(void)state;
	make(&r, &one, &eight);
	r.calibration.walk = r.calibration.dram = SD_NOT(ABSENT);
	for (size_t i = 0; i < EIGHT; i++)
		eight->thread[i].stlb_misses = eight->thread[i].llc_misses = 1e9;
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_DTLB);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_int_equal(f->cores.status, SD_STATUS_ABSENT);
	assert_true(says(f, "scalediag calibrate"));
	assert_int_equal(finding_of(&a, SD_CAUSE_LLC_CAPACITY)->verdict, SD_VERDICT_POSSIBLE);
	done(&r, &a);
}

static void memory_at_its_ceiling_is_the_bandwidth(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	const struct sd_finding *f;

	(void)state;
	make(&r, &one, &eight);
	/* 64 bytes x 1.1e9 in 2.5 s: 28 of 30 GB/s */
	for (size_t i = 0; i < EIGHT; i++)
		eight->thread[i].lines_in = 1.1e9 / EIGHT;
	one->thread[0].lines_in = 1.1e9;
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	assert_near(f->cores.value, 4, .1);
	assert_true(says(f, "28.1"));
	done(&r, &a);
}

static void more_instructions_may_be_spinning(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	const struct sd_finding *f;

	(void)state;
	make(&r, &one, &eight);
	for (size_t i = 0; i < EIGHT; i++)
		eight->thread[i].instructions = 2e9 / EIGHT;
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_EXTRA_WORK);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_true(says(f, "2.000 times"));
	assert_true(says(f, "waiting in loops"));
	done(&r, &a);
}

static void estimates_say_their_error_where_it_was_measured_too(void **state)
{
	static const unsigned cores[] = {1, 2, 8};
	static const struct sample a1 = {.wall = 10, .user = 10}, a2 = {.wall = 6, .user = 12};
	struct sd_record r;
	struct sd_analysis a;
	const double cycles[] = {20e9, 11e9, 4e9};

	(void)state;
	record_make(&r, cores, 3);
	r.plan.point[2].simulated = 1;
	r.plan.simulation = make_zeroed(1, sizeof *r.plan.simulation);
	r.plan.simulation->costs.hz = 2e9;
	record_samples(&r, 0, &a1, RUNS, .001, 1);
	record_samples(&r, 1, &a2, RUNS, .001, 2);
	for (size_t i = 0; i < 3; i++)
		make_simulated(&r, i)->cycles = SD_OK(cycles[i]);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_point, 2); /* never as if it had been timed */
	assert_int_equal(a.n_estimate, 3);
	assert_near(a.estimate[1].wall, 5.5, .02);
	assert_true(a.estimate[1].timed && sd_has(a.estimate[1].error));
	assert_near(a.estimate[1].error.value, 5.5 / 6 - 1, .005);
	assert_false(a.estimate[2].timed);
	assert_near(a.estimate[2].speedup, 5, .02);
	for (size_t i = 0; i < a.warnings.n; i++)
		assert_null(strstr(a.warnings.text[i], "no usable run at 8"));
	done(&r, &a);
}

/* Two counts, the second of eight cores only simulated; a unit of work takes one cycle at both. */
static void two_counts(struct sd_record *r, const struct sample *one, struct sd_simulated **first,
	struct sd_simulated **last)
{
	static const unsigned cores[] = {1, 8};

	record_make(r, cores, 2);
	r->plan.point[1].simulated = 1;
	r->plan.simulation = make_zeroed(1, sizeof *r->plan.simulation);
	r->plan.simulation->costs = (struct sd_sim_costs){
		.hz = 1e9, .memory = 300, .llc = 50, .transfer = 100, .walk = 30};
	record_samples(r, 0, one, RUNS, .001, 1);
	make_simulated(r, 0)->cycles = SD_OK(1e9);
	make_simulated(r, 1)->cycles = SD_OK(5e8);
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_SIMULATED) {
			*first = *last;
			*last = r->run[i].simulated;
		}
}

static void an_estimate_says_what_the_lost_cores_wait_for(void **state)
{
	static const struct sample one = {.wall = 1, .user = 1};
	struct sd_simulated *first = NULL, *last = NULL;
	const struct sd_estimate *e;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	two_counts(&r, &one, &first, &last);
	make_false_line(&r, last, 1e7); /* 1 s of transfers in half a second: two cores */
	last->thread[3].hitm_store = 1e7;
	for (size_t i = 0; i < 8; i++)
		last->thread[i].stlb_misses = 1e6; /* .24 s of walks: half a core */
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_estimate, 2);
	e = &a.estimate[1];
	assert_near(e->speedup, 2, .01);
	assert_near(e->lost, 6, .01);
	assert_near(e->cost[SD_CAUSE_FALSE_SHARING].value, 2, .01);
	assert_near(e->cost[SD_CAUSE_TRUE_SHARING].value, 0, .001);
	assert_near(e->cost[SD_CAUSE_DTLB].value, .48, .01);
	assert_near(e->cost[SD_CAUSE_EXTRA_WORK].value, 0, .001);
	assert_false(sd_has(e->cost[SD_CAUSE_ALLOCATOR]));
	/* the reference's own counts are no part of it */
	assert_near(a.estimate[0].cost[SD_CAUSE_LLC_CAPACITY].value, 0, 1e-9);
	sd_analysis_free(&a);
	/* charges overlap: together never more than what is lost */
	last->thread[3].hitm_store = 1e8;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	e = &a.estimate[1];
	assert_near(
		e->cost[SD_CAUSE_FALSE_SHARING].value + e->cost[SD_CAUSE_DTLB].value, e->lost, .01);
	sd_analysis_free(&a);
	last->partial = 1;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_false(sd_has(a.estimate[1].cost[SD_CAUSE_FALSE_SHARING]));
	sd_analysis_free(&a);
	/* another machine: a speedup of the model, of no seconds and no ceiling */
	last->partial = 0;
	last->thread[3].hitm_store = 1e5;
	r.plan.simulation->costs = (struct sd_sim_costs){.hz = 0};
	strcpy(first->machine.name, "core2-quad");
	strcpy(last->machine.name, "core2-quad");
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	e = &a.estimate[1];
	assert_true(isnan(e->wall) && e->usual);
	assert_near(e->speedup, 2, .01);
	assert_near(e->cost[SD_CAUSE_FALSE_SHARING].value, 1e5 * sd_sim_costs_usual.transfer / 5e8,
		1e-6);
	assert_false(sd_has(e->cost[SD_CAUSE_MEMORY_BANDWIDTH]));
	done(&r, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(false_sharing_is_named_with_its_line_and_code),
		cmocka_unit_test(a_cause_is_never_worth_more_than_the_growth),
		cmocka_unit_test(the_same_bytes_are_true_sharing),
		cmocka_unit_test(what_is_only_read_beside_shared_bytes_moves_with_them),
		cmocka_unit_test(the_place_is_the_users_code),
		cmocka_unit_test(what_moves_no_line_is_not_sharing),
		cmocka_unit_test(what_may_matter_or_not_is_possible_with_its_number),
		cmocka_unit_test(without_calibration_a_miss_has_no_price),
		cmocka_unit_test(memory_at_its_ceiling_is_the_bandwidth),
		cmocka_unit_test(more_instructions_may_be_spinning),
		cmocka_unit_test(estimates_say_their_error_where_it_was_measured_too),
		cmocka_unit_test(an_estimate_says_what_the_lost_cores_wait_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
