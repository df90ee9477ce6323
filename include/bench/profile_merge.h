/*
 * Several calibrations of a machine, one after the other, as one: each number with what it differs
 * by from one to the next.
 */
#ifndef SD_PROFILE_MERGE_H
#define SD_PROFILE_MERGE_H

#include "bench/profile.h"

/*
 * Fills *out (zeroed) from n >= 1 calibrations, made one after the other in one way. States are
 * told apart by their round trips; a state that one calibration alone saw has that one's numbers. A
 * number is the median of the calibrations', its quartiles reach over all of theirs; the samples
 * are added up. What only some could measure is of those. The strings that rows point to are
 * borrowed from them. 0; -ENOMEM, *out empty.
 */
int sd_profile_merge(const struct sd_profile *one, size_t n, struct sd_profile *out);

/*
 * The rows of one calibration, whose n >= 1 blocks measured everything again, with states in
 * common: numbers as above, of blocks that were not disturbed where there are such; the ceilings
 * are those of all blocks together. 0; -ENOMEM, *rows empty.
 */
int sd_profile_merge_blocks(const struct sd_bench_rows *block, size_t n,
	const struct sd_machine_states *states, struct sd_bench_rows *rows);

#endif
