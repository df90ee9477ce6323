/*
 * Samples by events: the function in which a metric's events happen has it, and what it is there is
 * the formula's value for what that function counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "support/near.h"

#include "support/counted_record.h"
#include "support/make_samples.h"
#include "support/make_simulated.h"

enum { CYCLES, INSTRUCTIONS, WALKS, N };
static const struct sd_event_period period[N] = {
	{SD_ROLE_CYCLES, 2000003, 1, 1, 1000, 2000003e3, 1},
	{SD_ROLE_INSTRUCTIONS, 2000003, 1, 1, 1000, 2000003e3, 1},
	{SD_ROLE_DTLB_WALKS, 100003, 1, 0, 400, 400 * 100003., 1},
};

struct world {
	struct sd_record r;
	struct sd_analysis a;
	struct sd_formula_tables f;
};

/* Samples of a role at a line; what they stand for follows from its period. */
static struct sd_event_place at(unsigned node, size_t event, double samples)
{
	return (struct sd_event_place){.node = node,
		.role = period[event].role,
		.samples = samples,
		.events = samples * period[event].period};
}

static void make(struct world *w)
{
	static const unsigned cores[] = {1, 2};

	*w = (struct world){.a = {.n_point = 0}};
	record_make(&w->r, cores, 2);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 5; j++) {
			const struct sample s = {.wall = 2, .user = i ? 4 : 2};
			struct sd_run *const run = record_sample(&w->r, i, &s, 1);

			count(run, "skx", SD_ROLE_CYCLES, i ? 12e9 : 6e9);
			count(run, "skx", SD_ROLE_INSTRUCTIONS, 6e9);
		}
	load_tables(&w->f);
}

static void analyse(struct world *w)
{
	assert_int_equal(sd_analyse(&w->r, &w->f, NULL, &w->a), 0);
}

static void done(struct world *w)
{
	sd_analysis_free(&w->a);
	sd_record_free(&w->r);
	sd_formula_tables_free(&w->f);
}

static const struct sd_event_cell *cell_of(
	const struct sd_analysis *a, size_t row, const char *metric)
{
	for (size_t m = 0; m < a->events.n_metric; m++)
		if (strcmp(a->events.metric[m].name, metric) == 0)
			return &a->events.row[row].cell[m];
	fail_msg("no metric %s", metric);
	return NULL;
}

/* scan() has most cycles on half of the instructions, in two lines, and nearly all walks; the walks
 * of the rest are in code that has no name. */
static void hotspots_have_their_metrics(void **state)
{
	const struct sd_event_cell *c = NULL;
	const struct sd_event_row *row;
	struct world w;
	unsigned hot, warm, sum;

	(void)state;
	make(&w);
	warm = make_call(&w.r, 0, "scan()", "scan.c", 7, "app");
	hot = make_call(&w.r, 0, "scan()", "scan.c", 9, "app");
	sum = make_call(&w.r, 0, "sum()", "sum.c", 3, "app");
	{
		const struct sd_event_place place[] = {at(hot, CYCLES, 600), at(warm, CYCLES, 300),
			at(sum, CYCLES, 100), at(hot, INSTRUCTIONS, 300),
			at(warm, INSTRUCTIONS, 200), at(sum, INSTRUCTIONS, 500),
			at(hot, WALKS, 380), at(sum, WALKS, 5), at(0, WALKS, 15)};

		make_events(&w.r, 1, period, N, place, sizeof place / sizeof *place);
	}
	analyse(&w);
	assert_int_equal(w.a.events.cores, 2);
	assert_int_equal(w.a.events.n_metric, 2);
	assert_int_equal(w.a.events.n_row, 2);
	row = &w.a.events.row[0];
	assert_string_equal(row->at->function, "scan()");
	assert_int_equal(row->at->line, 9);
	c = cell_of(&w.a, 0, "cpi");
	assert_near(c->share, .9, 1e-9);
	assert_near(c->metric.value, 1.8, 1e-9);
	assert_true(c->metric.low < 1.8 && c->metric.high > 1.8);
	assert_true(c->over);
	c = cell_of(&w.a, 0, "dtlb-walks-per-1000");
	assert_near(c->share, .95, 1e-9);
	assert_near(c->metric.value, 1000 * 380 * 100003. / (500 * 2000003.), 1e-9);
	/* a fifth of a cycle an instruction is not past 1; five walks are too few to tell */
	assert_string_equal(w.a.events.row[1].at->function, "sum()");
	c = cell_of(&w.a, 1, "cpi");
	assert_near(c->metric.value, .2, 1e-9);
	assert_false(c->over);
	assert_false(sd_has(
		(struct sd_value){0, cell_of(&w.a, 1, "dtlb-walks-per-1000")->metric.status}));
	/* what is not precise says so */
	for (size_t m = 0; m < 2; m++)
		assert_int_equal(w.a.events.metric[m].precise,
			strcmp(w.a.events.metric[m].name, "cpi") == 0);
	row = sd_event_hotspots_most(&w.a.events, "dtlb-walks-per-1000", &c);
	assert_non_null(row);
	assert_string_equal(row->at->function, "scan()");
	assert_null(sd_event_hotspots_most(&w.a.events, "hitm-per-1000", &c));
	done(&w);
}

/* If instructions cannot be sampled, the function is known, and no metric of it. */
static void without_instructions_shares_are_left(void **state)
{
	struct world w;
	unsigned scan, sum;

	(void)state;
	make(&w);
	scan = make_call(&w.r, 0, "scan()", "scan.c", 9, "app");
	sum = make_call(&w.r, 0, "sum()", "sum.c", 3, "app");
	{
		const struct sd_event_place place[] = {at(scan, CYCLES, 250), at(sum, CYCLES, 750)};

		make_events(&w.r, 1, period, 1, place, 2);
	}
	analyse(&w);
	assert_int_equal(w.a.events.n_metric, 1);
	assert_int_equal(w.a.events.n_row, 2);
	assert_string_equal(w.a.events.row[0].at->function, "sum()");
	assert_near(cell_of(&w.a, 0, "cpi")->share, .75, 1e-9);
	assert_near(cell_of(&w.a, 1, "cpi")->share, .25, 1e-9);
	assert_int_equal(cell_of(&w.a, 0, "cpi")->metric.status, SD_STATUS_ABSENT);
	done(&w);
}

/* Samples of another point, of a run that took none, or of a counter that never ran: nothing. */
static void nothing_sampled_is_no_hotspot(void **state)
{
	(void)state;
	for (int k = 0; k < 3; k++) {
		struct sd_event_period p = period[CYCLES];
		struct sd_event_sampled *e;
		struct world w;
		unsigned scan;

		make(&w);
		scan = make_call(&w.r, 0, "scan()", "scan.c", 9, "app");
		p.running = k == 2 ? 0 : 1;
		{
			const struct sd_event_place place = at(scan, CYCLES, 250);

			e = make_events(&w.r, k == 0 ? 0 : 1, &p, 1, &place, 1);
		}
		if (k == 1)
			e->status = SD_STATUS_DENIED;
		analyse(&w);
		assert_int_equal(w.a.events.n_row, 0);
		assert_int_equal(w.a.events.n_metric, 0);
		done(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hotspots_have_their_metrics),
		cmocka_unit_test(without_instructions_shares_are_left),
		cmocka_unit_test(nothing_sampled_is_no_hotspot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
