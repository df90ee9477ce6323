/*
 * Load imbalance that grows during a run: told by the lanes of its threads, with how much at first
 * and at last, and not where it stays, or where nobody waits for late peers.
 */
#include "diagnose/analyse/hotspots/sampled_mixture.h"
#include "evidence/late_drift.h"

enum shape { GROWS, SHRINKS, STAYS, NONE };

#define STEPS 20u
#define STEP_BINS 40u /* of a step of the program */

enum { RUN, PEER, ASIDE, DOINGS };

static void *zeroed(size_t n, size_t size)
{
	void *const out = calloc(n, size);

	assert_non_null(out);
	return out;
}

static void put(struct sd_binned_lane *lane, unsigned doing, unsigned bins)
{
	if (bins)
		lane->step[lane->n_step++] = (struct sd_binned_step){.bins = bins, .doing = doing};
}

/* Two threads: the second has done its share of step k early, and waits for the first. A third one
 * waits for something else all the time. */
static struct sd_binned_lanes *make_lanes(enum shape shape, enum sd_activity wait)
{
	struct sd_binned_lanes *const l = zeroed(1, sizeof *l);

	l->length = 1000000000;
	l->bins = STEPS * STEP_BINS;
	l->n_seen = l->n_lane = 3;
	l->n_doing = DOINGS;
	l->doing = zeroed(DOINGS, sizeof *l->doing);
	l->doing[RUN].state = SD_ACTIVITY_USEFUL;
	l->doing[PEER].state = wait;
	l->doing[ASIDE].state = SD_ACTIVITY_SOCKET;
	l->lane = zeroed(3, sizeof *l->lane);
	for (size_t i = 0; i < 3; i++)
		l->lane[i].step = zeroed(2 * (size_t)STEPS, sizeof *l->lane[i].step);
	put(&l->lane[0], RUN, l->bins);
	put(&l->lane[2], ASIDE, l->bins);
	for (unsigned k = 0; k < STEPS; k++) {
		const unsigned late = shape == GROWS     ? k + 1
				      : shape == SHRINKS ? STEPS - k
				      : shape == STAYS   ? 10 + (k % 3 == 0)
							 : 0;

		put(&l->lane[1], RUN, STEP_BINS - late);
		put(&l->lane[1], PEER, late);
	}
	return l;
}

static void tenths_are_in_order_where_waits_grow(void **state)
{
	static const enum sd_activity waits[] = {SD_ACTIVITY_BARRIER, SD_ACTIVITY_SPIN_BARRIER,
		SD_ACTIVITY_POOL, SD_ACTIVITY_SPIN_MPI, SD_ACTIVITY_MPI};

	(void)state;
	for (size_t w = 0; w < sizeof waits / sizeof *waits; w++)
		for (int shape = GROWS; shape <= NONE; shape++) {
			struct sd_binned_lanes *const l = make_lanes((enum shape)shape, waits[w]);
			struct sd_late_drift d;
			double all = 0;

			assert_int_equal(sd_late_drift_of(l, 2, &d), shape != NONE);
			for (int i = 0; i < SD_LATE_DRIFT_SLICES; i++) {
				assert_true(d.late[i] >= 0 && d.late[i] <= 1.001);
				all += d.late[i];
			}
			/* the mean of all tenths is that of the whole: 210 of 800 bins wait */
			if (shape == GROWS && waits[w] != SD_ACTIVITY_SPIN_MPI &&
				waits[w] != SD_ACTIVITY_MPI)
				assert_near(all / SD_LATE_DRIFT_SLICES, 210. / 800, .01);
			if (shape == GROWS)
				assert_true(d.order > 40);
			if (shape == SHRINKS)
				assert_true(d.order < -40);
			if (shape == STAYS)
				assert_true(abs(d.order) < 27);
			/* nobody waits for late peers on a core that does not idle */
			assert_int_equal(sd_late_drift_of(l, 1, &d), 0);
			sd_binned_lanes_free(l);
		}
}

/* On two cores .6 of 2 wait for late peers, or for one thread's serial code. */
static void make_runs(struct sd_record *r, const struct stacks *s, enum sd_idle idle)
{
	const struct sample one = {.wall = 10, .user = 10};
	struct sample many = {.wall = 7, .user = 10};

	many.idle[idle] = 4;
	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;
		struct sd_run *run = record_sample(r, 0, &one, f);
		struct sd_use *u;

		make_use(run, s->relax, SD_ACTIVITY_USEFUL, 10 * f);
		run = record_sample(r, 1, &many, f);
		u = make_use(run, s->relax, SD_ACTIVITY_USEFUL, 10 * f);
		u->blame = 4 * f;
		*(idle == SD_IDLE_SERIAL ? &u->blame_serial : &u->blame_imbalance) = 4 * f;
	}
}

static void imbalance_that_grows_is_told_as_such(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct {
		enum shape shape;
		enum sd_idle idle;
		const char *says;
		int is_what;
	} row[] = {{GROWS, SD_IDLE_IMBALANCE, "it grows during the run, from 0.", 1},
		{SHRINKS, SD_IDLE_IMBALANCE, "it shrinks during the run, from 0.", 0},
		{STAYS, SD_IDLE_IMBALANCE, NULL, 0},
		/* lanes do not tell a late peer from serial code */
		{GROWS, SD_IDLE_SERIAL, NULL, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		const struct sd_finding *f = NULL;
		struct sd_record r;
		struct sd_analysis a;
		struct stacks s;

		record_make(&r, cores, 2);
		s = make_stacks(&r);
		make_runs(&r, &s, row[k].idle);
		r.run[3].lanes = make_lanes(row[k].shape, SD_ACTIVITY_BARRIER);
		assert_int_equal(r.run[3].point, 1);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			if (a.finding[i].cause == SD_CAUSE_LOAD_IMBALANCE)
				f = &a.finding[i];
		assert_non_null(f);
		assert_int_equal(has_evidence(f, "during the run"), row[k].says != NULL);
		if (row[k].says)
			assert_true(has_evidence(f, row[k].says));
		assert_int_equal(f->what != NULL, row[k].is_what);
		sd_analysis_free(&a);
		sd_binned_lanes_free(r.run[3].lanes);
		r.run[3].lanes = NULL;
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenths_are_in_order_where_waits_grow),
		cmocka_unit_test(imbalance_that_grows_is_told_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
