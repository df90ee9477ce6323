/*
 * Folded stacks of a record, for flame graphs.
 */
#ifndef SD_FOLD_STACKS_H
#define SD_FOLD_STACKS_H

#include "analysis/folded_stacks.h"
#include "record/record.h"

/*
 * The stacks of the used runs at `cores` (0: the largest count) and at the reference: what ran, or
 * with `waits` what waited. A stack that spun or waited ends in what it did, in brackets. 0;
 * -ENOENT: no point of that count has a used run; -ENODATA: no samples there; -ENOMEM. *out is to
 * be freed in every case.
 */
int sd_fold_stacks(
	const struct sd_record *record, unsigned cores, int waits, struct sd_folded_stacks *out);

/* The path of one stack; a fresh string or NULL. Without a symbol: [module+0xoffset]. */
char *sd_fold_stacks_path(const struct sd_stacks *s, unsigned node);

#endif
