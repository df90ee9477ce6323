/*
 * Records with counts of the software PMU, and what is judged of them.
 */
#ifndef SD_TEST_SIMULATED_RECORD_H
#define SD_TEST_SIMULATED_RECORD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_simulated.h"
#include "support/near.h"

enum { RUNS = 8, EIGHT = 8 };

/* 10 s on one core, and on eight what `after` says, scattered by `spread`. */
static inline void make_of(struct sd_record *r, const struct sample *after, double spread,
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
static inline void make(struct sd_record *r, struct sd_simulated **one, struct sd_simulated **eight)
{
	static const struct sample after = {.wall = 2.5, .user = 20};

	make_of(r, &after, .002, one, eight);
}

static inline void analyse(struct sd_record *r, struct sd_analysis *a)
{
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
	/* a simulated run is never among the times */
	assert_int_equal(a->n_point, 2);
	assert_int_equal(a->point[0].runs, RUNS);
	assert_near(a->point[1].wall.value, 2.5, .02);
}

/* Counts of all threads together. */
static inline void set_hitm(struct sd_simulated *s, double hitm)
{
	for (size_t i = 0; i < s->n_thread; i++)
		s->thread[i].hitm_load = hitm / (double)s->n_thread;
}

static inline int says(const struct sd_finding *f, const char *what)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], what))
			return 1;
	return 0;
}

static inline void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

#endif
