/*
 * The stacks of a record's sampled runs, count by count, and which run of each count stands for it.
 */
#ifndef SD_PROFILE_STACKS_H
#define SD_PROFILE_STACKS_H

#include "analysis/stack_profile.h"
#include "record/record.h"

/*
 * Makes the profile of all counts with used and sampled runs, or of `cores` alone. 0; -ENOENT: no
 * point of that count has a used run; -ENODATA: no samples there; -ENOMEM. *out is to be freed in
 * every case.
 */
int sd_profile_stacks(const struct sd_record *record, unsigned cores, struct sd_stack_profile *out);

/*
 * The used and sampled run nearest to the median time of each count, or with `cores` of that one
 * alone: numbers of runs into *out (owned by the caller), cores rising, *n of them. 0 or -ENOMEM.
 */
int sd_profile_stacks_typical(
	const struct sd_record *record, unsigned cores, size_t **out, size_t *n);

#endif
