/*
 * Which passes of counters tell most next: those that the formula of one mechanism needs, together
 * (METHODS 4.5).
 */
#ifndef SD_NEXT_PASSES_H
#define SD_NEXT_PASSES_H

#include "case/case.h"
#include "ledger/narrowing.h"

/* Runs of a pass at a count: one alone shows no scatter. */
#define SD_NEXT_PASSES_RUNS 2u

/*
 * Stores in *out the passes of the formula whose value is expected to narrow the bounds of causes
 * most for each second, of those that lack runs at the reference or the largest count, and in *is
 * what is expected of them. Returns the cores that they narrow for each second; 0 and n 0 where
 * none does, where the causes are decided (`end`), where the number of runs was given, for a
 * modelled machine, which counts each once in any case, or where there is no time for them.
 */
double sd_next_passes(const struct sd_case *c, const struct sd_ledger *l, enum sd_narrowing_end end,
	struct sd_pass_list *out, struct sd_run_choice *is);

#endif
