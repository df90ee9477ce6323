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

#endif
