/*
 * What a simulated run says of a known loss: the cause is named with the line and the code, is
 * worth what its moves cost here and never more than the growth, and a model never confirms
 * anything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "analysis/contested_lines.h"
#include "support/make_simulated.h"
#include "simulated/line_words.h"
#include "support/near.h"

enum { RUNS = 8, EIGHT = 8 };

/* 10 s on one core, and on eight what `after` says, scattered by `spread`. */
static void make_of(struct sd_record *r, const struct sample *after, double spread,
	struct sd_simulated **one, struct sd_simulated **eight)
{
	static const unsigned cores[] = {1, EIGHT};
	static const struct sample before = {.wall = 10, .user = 10};

	record_make(r, cores, 2);
	r->calibration.llc = SD_OK(20e-9);
	r->calibration.dram = SD_OK(90e-9);
	r->calibration.line = SD_OK(100e-9);
	r->calibration.walk = SD_OK(30e-9);
	assert_int_equal(sd_calibration_add(&r->calibration, 1, 12e9), 0);
	assert_int_equal(sd_calibration_add(&r->calibration, EIGHT, 30e9), 0);
	record_samples(r, 0, &before, RUNS, spread, 1);
	record_samples(r, 1, after, RUNS, spread, 2);
	make_simulated(r, 0);
	*eight = make_simulated(r, 1);
	*one = r->run[r->n_run - 2].simulated;
}

/* 10 s of user time on one core become 20 on eight, in 2.5 s: four of the eight cores
 * are growth. */
static void make(struct sd_record *r, struct sd_simulated **one, struct sd_simulated **eight)
{
	static const struct sample after = {.wall = 2.5, .user = 20};

	make_of(r, &after, .002, one, eight);
}

static void analyse(struct sd_record *r, struct sd_analysis *a)
{
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
	/* a simulated run is never among the times */
	assert_int_equal(a->n_point, 2);
	assert_int_equal(a->point[0].runs, RUNS);
	assert_near(a->point[1].wall.value, 2.5, .02);
}

/* Counts of all threads together. */
static void set_hitm(struct sd_simulated *s, double hitm)
{
	for (size_t i = 0; i < s->n_thread; i++)
		s->thread[i].hitm_load = hitm / (double)s->n_thread;
}

static int says(const struct sd_finding *f, const char *what)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], what))
			return 1;
	return 0;
}

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

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
	for (size_t i = 0; i < EIGHT; i++)
		eight->thread[i].stlb_misses = 1e9;
	analyse(&r, &a);
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

static void a_partial_simulation_rules_nothing_out_and_names_nothing_likely(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	eight->partial = 1;
	snprintf(eight->why, sizeof eight->why, "it was killed");
	analyse(&r, &a);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_POSSIBLE);
	assert_int_equal(finding_of(&a, SD_CAUSE_DTLB)->verdict, SD_VERDICT_POSSIBLE);
	assert_true(says(finding_of(&a, SD_CAUSE_DTLB), "only a part"));
	done(&r, &a);
}

/* Of a program that does more than wait: what is its growth scatters around what matters. */
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

/* A longer run of the model would see no more of them. */
static void of_several_processes_no_more_can_be_simulated(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	int longer[2] = {0};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		const char *next;

		make(&r, &one, &eight);
		eight->partial = 1;
		eight->processes = k + 1;
		analyse(&r, &a);
		next = finding_of(&a, SD_CAUSE_EXTRA_WORK)->next;
		longer[k] = next && strstr(next, "which simulates all of it") != NULL;
		done(&r, &a);
	}
	assert_true(longer[0]);
	assert_false(longer[1]);
}

/* The moves that were seen are there, whatever the rest of the program does. */
static void half_of_the_growth_in_a_part_is_enough(void **state)
{
	(void)state;
	for (int few = 0; few < 2; few++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;

		make(&r, &one, &eight);
		set_hitm(eight, few ? 5e6 : 5e9);
		make_false_line(&r, eight, few ? 5e6 : 5e9);
		one->partial = eight->partial = 1;
		analyse(&r, &a);
		assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
			few ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		/* what one surely has is not left for the other */
		assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict,
			few ? SD_VERDICT_POSSIBLE : SD_VERDICT_RULED_OUT);
		done(&r, &a);
	}
}

/* Of two runs that were both ended early nobody knows which parts of the work they are. */
static void parts_of_unknown_size_are_not_subtracted_from_each_other(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	const struct sd_finding *f;

	(void)state;
	make(&r, &one, &eight);
	for (size_t i = 0; i < EIGHT; i++) {
		eight->thread[i].stlb_misses = 30e6;
		eight->thread[i].lines_in = 10e6;
	}
	one->partial = eight->partial = 1;
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_DTLB);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_int_not_equal(f->cores.status, SD_STATUS_OK);
	assert_true(says(f, "page walks") && !says(f, "cores, if nothing"));
	/* nor are a part's lines the traffic of the whole time */
	f = finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_true(says(f, "lines to and from memory") && !says(f, "GB/s"));
	done(&r, &a);
}

/* Moves that the reference has as well are none of the growth, and of a part of it not known. */
static void a_part_of_a_reference_with_moves_of_its_own_is_not_enough(void **state)
{
	(void)state;
	for (int cores = 1; cores < 3; cores++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;

		make(&r, &one, &eight);
		/* as much work on two cores, in half the time */
		r.plan.point[0].cores = (unsigned)cores;
		for (size_t i = 0; i < r.n_run; i++)
			if (r.run[i].point == 0)
				r.run[i].metric[SD_METRIC_WALL].value /= cores;
		set_hitm(eight, 5e9);
		make_false_line(&r, eight, 5e9);
		one->partial = eight->partial = 1;
		analyse(&r, &a);
		assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
			cores > 1 ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		done(&r, &a);
	}
}

/* A tenth of the work with a tenth of the moves is worth what all of both are. */
static void counts_of_a_part_stand_for_the_whole_when_the_reference_is_whole(void **state)
{
	double cores[2];

	(void)state;
	for (int part = 0; part < 2; part++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;
		const struct sd_finding *f;

		make(&r, &one, &eight);
		set_hitm(eight, part ? 2e6 : 20e6);
		make_false_line(&r, eight, part ? 2e6 : 20e6);
		for (size_t i = 0; part && i < EIGHT; i++)
			eight->thread[i].instructions /= 10;
		eight->partial = part;
		analyse(&r, &a);
		f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
		cores[part] = f->cores.value;
		assert_int_equal(f->verdict, part ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		assert_int_equal(says(f, "only 10.0 % of the program"), part);
		f = finding_of(&a, SD_CAUSE_EXTRA_WORK);
		assert_int_equal(f->verdict == SD_VERDICT_RULED_OUT, !part);
		done(&r, &a);
	}
	assert_true(cores[0] > 0);
	assert_near(cores[1], cores[0], .01 * cores[0]);
}

static void another_machine_than_this_names_nothing_likely(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	snprintf(eight->machine.name, sizeof eight->machine.name, "core2-quad");
	analyse(&r, &a);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_POSSIBLE);
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

/* ---- scalediag lines ---- */

static void advice_has_the_numbers_of_the_line(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_contested_lines l;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	eight->machine.adjacent = 1;
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), 0);
	assert_int_equal(l.cores, EIGHT);
	assert_int_equal(l.n_line, 1);
	assert_int_equal(l.n_matter, 1);
	assert_int_equal(l.line[0].writers, 8);
	assert_true(l.line[0].shared == 0);
	assert_true(l.line[0].touched == UINT64_MAX);
	assert_non_null(strstr(l.line[0].advice.text[0],
		"align their parts of up to 8 bytes to 128 (alignas(128), or padding of 120 bytes "
		"after each): 1024 bytes instead of 64"));
	assert_near(l.line[0].saved.value, 50e6, 1);
	sd_contested_lines_free(&l);
	assert_int_equal(sd_contested_line_list_make(&r, 1, 0, &l), 0);
	assert_int_equal(l.cores, 1);
	assert_int_equal(l.n_line, 0);
	sd_contested_lines_free(&l);
	assert_int_equal(sd_contested_line_list_make(&r, 3, 0, &l), -ENOENT);
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

static void a_few_moves_at_start_up_do_not_matter(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_contested_lines l;

	(void)state;
	make(&r, &one, &eight);
	make_false_line(&r, eight, 100); /* of 1e9 instructions */
	assert_int_equal(sd_contested_line_list_make(&r, 8, 0, &l), 0);
	assert_int_equal(l.n_line, 1);
	assert_int_equal(l.n_matter, 0);
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

static void misses_of_any_llc_follow_from_the_distances(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_contested_lines l;
	struct sd_sim_thread *t;

	(void)state;
	make(&r, &one, &eight);
	t = &one->thread[0];
	for (int i = 0; i < SD_SIM_DISTANCES; i++)
		t->distance[i] = 0;
	/* used again after 2^15 to 2^16 lines: 2 to 4 MiB; and once each, never before */
	t->distance[16] = 1000;
	t->distance[SD_SIM_DISTANCES - 1] = 10;
	one->machine.llc = (struct sd_sim_level){16 << 20, 16, 1, 0};
	assert_int_equal(sd_contested_line_list_make(&r, 1, 0, &l), 0);
	assert_true(l.share == 16 << 20);
	for (size_t i = 0; i < l.n_llc; i++) {
		const double b = l.llc[i].bytes;

		if (b <= 2 << 20)
			assert_near(l.llc[i].misses, 1010, 1e-9);
		if (b >= 4 << 20)
			assert_near(l.llc[i].misses, 10, 1e-9);
		assert_int_equal(l.llc[i].is_share, b == 16 << 20);
	}
	assert_int_equal(l.set[0].n_shoulder, 1);
	assert_true(l.set[0].shoulder[0].bytes == 4 << 20);
	assert_true(l.set[0].fits);
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

static void sampled_lines_are_shown_where_nothing_was_simulated(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_memory_sampled *m;
	struct sd_record r;
	struct sd_contested_lines l;

	(void)state;
	make_record(&r, cores, 2);
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), -ENOENT);
	m = make_memory(&r, 1);
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), 0);
	assert_true(l.sampled == m && !l.simulated);
	assert_int_equal(l.cores, 2);
	assert_int_equal(l.n_matter, 1);
	assert_int_equal(l.line[0].writers, 2);
	assert_non_null(strstr(l.line[0].advice.text[0], "alignas(64)"));
	sd_contested_lines_free(&l);
	m->contested[0].line.hitm_load = 4; /* may be chance */
	assert_int_equal(sd_contested_line_list_make(&r, 2, 1, &l), 0);
	assert_int_equal(l.n_matter, 0);
	sd_contested_lines_free(&l);
	assert_int_equal(sd_contested_line_list_make(&r, 1, 1, &l), -ENOENT);
	m->status = SD_STATUS_DENIED;
	assert_int_equal(sd_contested_line_list_make(&r, 2, 1, &l), -ENOENT);
	sd_record_free(&r);
}

static void sharing_nobody_measured_is_named_by_the_sampled_line(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_finding *const f = &a.finding[0], *const other = &a.finding[1];
	struct sd_record r;

	(void)state;
	memset(&a, 0, sizeof a);
	make_record(&r, cores, 2);
	make_memory(&r, 1);
	for (int i = 0; i < 2; i++) {
		a.finding[i].cause = i ? SD_CAUSE_TRUE_SHARING : SD_CAUSE_FALSE_SHARING;
		a.finding[i].verdict = SD_VERDICT_NOT_MEASURABLE;
		assert_int_equal(sd_texts_add(&a.finding[i].evidence, "no counters"), 0);
	}
	assert_int_equal(sd_line_words_fill(&r, &a), 0);
	assert_int_equal(f->verdict, SD_VERDICT_NOT_MEASURABLE);
	assert_true(f->evidence.n >= 3);
	assert_non_null(strstr(f->evidence.text[1], "sampled by ibs_op at 2 cores"));
	assert_non_null(strstr(f->evidence.text[2], "counters+0x40"));
	assert_true(f->n_where > 0);
	assert_string_equal(f->where[0].function, "increment");
	assert_int_equal(other->evidence.n, 1); /* the line is not of true sharing */
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void what_moves_apart_is_told_from_what_is_only_read(void **state)
{
	struct sd_record r;
	struct sd_simulated *one, *eight;
	struct sd_sim_contested *line;
	struct sd_contested_lines l = {0};

	(void)state;
	make(&r, &one, &eight);
	line = make_false_line(&r, eight, 50e6);
	line->sharing = SD_SIM_MIXED;
	for (size_t i = 0; i < line->n_sharer; i++) { /* a counter, a constant, a byte of its own */
		line->sharer[i].written = 0xff | UINT64_C(0x10000) << i;
		line->sharer[i].read = 0xffff | UINT64_C(0x10000) << i;
	}
	assert_int_equal(sd_contested_line_list_make(&r, 0, 0, &l), 0);
	assert_true(l.n_line == 1 && l.line[0].advice.n > 0);
	assert_string_equal(l.line[0].advice.text[0],
		"8 of its bytes are shared, 8 belong to one thread each, 8 are only read: move "
		"those apart");
	sd_contested_lines_free(&l);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_moves_apart_is_told_from_what_is_only_read),
		cmocka_unit_test(false_sharing_is_named_with_its_line_and_code),
		cmocka_unit_test(a_cause_is_never_worth_more_than_the_growth),
		cmocka_unit_test(the_same_bytes_are_true_sharing),
		cmocka_unit_test(what_moves_no_line_is_not_sharing),
		cmocka_unit_test(half_of_the_growth_in_a_part_is_enough),
		cmocka_unit_test(parts_of_unknown_size_are_not_subtracted_from_each_other),
		cmocka_unit_test(a_part_of_a_reference_with_moves_of_its_own_is_not_enough),
		cmocka_unit_test(counts_of_a_part_stand_for_the_whole_when_the_reference_is_whole),
		cmocka_unit_test(a_partial_simulation_rules_nothing_out_and_names_nothing_likely),
		cmocka_unit_test(what_may_matter_or_not_is_possible_with_its_number),
		cmocka_unit_test(of_several_processes_no_more_can_be_simulated),
		cmocka_unit_test(another_machine_than_this_names_nothing_likely),
		cmocka_unit_test(without_calibration_a_miss_has_no_price),
		cmocka_unit_test(memory_at_its_ceiling_is_the_bandwidth),
		cmocka_unit_test(more_instructions_may_be_spinning),
		cmocka_unit_test(estimates_say_their_error_where_it_was_measured_too),
		cmocka_unit_test(an_estimate_says_what_the_lost_cores_wait_for),
		cmocka_unit_test(advice_has_the_numbers_of_the_line),
		cmocka_unit_test(a_few_moves_at_start_up_do_not_matter),
		cmocka_unit_test(misses_of_any_llc_follow_from_the_distances),
		cmocka_unit_test(sampled_lines_are_shown_where_nothing_was_simulated),
		cmocka_unit_test(sharing_nobody_measured_is_named_by_the_sampled_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
