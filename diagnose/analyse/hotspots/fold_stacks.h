/*
 * Folded stacks of a record, for flame graphs.
 */
#ifndef SD_FOLD_STACKS_H
#define SD_FOLD_STACKS_H

#include "analysis/folded_stacks.h"
#include "record/record.h"

/*
 * The stacks of the used runs at `cores` (0: the largest count) and at the reference: those that
 * ran or, with `waits`, waited. A stack that spun or waited ends in what it did, in brackets. 0;
 * -ENOENT: no used run at that count; -ENODATA: no samples there; -ENOMEM. *out must be freed in
 * every case.
 */
int sd_fold_stacks(
	const struct sd_record *record, unsigned cores, int waits, struct sd_folded_stacks *out);

/* The path of one stack; the caller frees it; NULL: out of memory. A frame without a symbol is
 * [module+0xoffset]. */
char *sd_fold_stacks_path(const struct sd_stacks *s, unsigned node);

struct sd_chosen; /* runs/run_selection.h */

/* Runs of a point that were sampled, and the rows of their samples in all. */

#endif
