/*
 * Records of one and two cores, and which causes are named for them.
 */
#ifndef SD_TEST_TWO_POINTS_H
#define SD_TEST_TWO_POINTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"
#include "support/near.h"

/* A program at 1 and at n cores. */
static inline void two_points(struct sd_record *r, unsigned n, const struct sample *one,
	const struct sample *many, size_t runs, double cv, uint64_t seed)
{
	const unsigned cores[] = {1, n};

	record_make(r, cores, 2);
	r->plan.seed = seed;
	record_samples(r, 0, one, runs, cv, seed);
	record_samples(r, 1, many, runs, cv, seed);
}

static inline size_t named(const struct sd_analysis *a)
{
	size_t n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		n += a->finding[i].verdict <= SD_VERDICT_POSSIBLE;
	return n;
}

static inline int warned(const struct sd_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], text))
			return 1;
	return 0;
}

static inline int has_evidence(const struct sd_finding *f, const char *text)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], text))
			return 1;
	return 0;
}

#endif
