/*
 * Records of random and of plain runs.
 */
#ifndef SD_TEST_UNIFORM_RUNS_H
#define SD_TEST_UNIFORM_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "accounting/account.h"
#include "support/near.h"

static inline double uniform(struct sd_random *r, double most)
{
	return (double)(sd_random_next(r) >> 11) * 0x1p-53 * most;
}

/* A run with anything in it, consistent or not; what is missing has any status. */
static inline void random_run(struct sd_run *run, struct sd_random *r)
{
	for (int m = SD_METRIC_WALL + 1; m < SD_METRIC_COUNT; m++) {
		double v = uniform(r, sd_random_below(r, 4) ? 3 : 1000);

		run->metric[m] = (struct sd_value){
			v, sd_random_below(r, 4)
				   ? SD_STATUS_OK
				   : (enum sd_status)sd_random_below(r, SD_STATUS_COUNT)};
		if (sd_random_below(r, 20) == 0)
			run->metric[m].value = sd_random_below(r, 2) ? NAN : -1;
	}
	for (int k = 0; k < SD_IDLE_COUNT; k++)
		run->idle[k] = (struct sd_value){
			uniform(r, 3), (enum sd_status)sd_random_below(r, SD_STATUS_COUNT)};
}

#endif
