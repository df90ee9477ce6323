/*
 * Which number of one calibration is which of another.
 */
#ifndef SD_PROFILE_PAIRS_H
#define SD_PROFILE_PAIRS_H

#include <stddef.h>

#include "bench/profile.h"

/* The state of `to` with the round trip of state i of `from`; -1 when there is none. */
int sd_profile_same_state(
	const struct sd_machine_states *from, const struct sd_machine_states *to, unsigned i);

/*
 * The row of `in` that is of the same thing as this row of `p`: kernel, variant, cores, unit, state
 * (by its round trip), and the same point of its sweep: by its parameter where both have that, else
 * by order. The ceiling is the best of whichever variant; of a loop of which only the fastest
 * vector unit was measured, that may be another one. NULL: none.
 */
const struct sd_bench_row *sd_profile_counterpart(
	const struct sd_profile *p, size_t row, const struct sd_profile *in);

#endif
