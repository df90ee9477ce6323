/*
 * Whether more plain runs would change the answer, and sooner than an experiment: a pure function
 * of what is known so far (METHODS 4.5).
 */
#ifndef SD_NEXT_RUNS_H
#define SD_NEXT_RUNS_H

#include "case/case.h"
#include "ledger/narrowing.h"

/*
 * `end` and `rate`: what came of looking for an experiment, and the cores that the one found is
 * expected to narrow for each second; 0 none.
 *
 * *is: what a run more of every count is expected to do; narrows 0: nobody can say.
 *
 * FIRST while it is not known whether the program scales, unless the loss is large in all
 * likelihood, and where a run more of every count is
 * expected to narrow the loss faster than that experiment the bounds of the causes. NARROW: after
 * it. ENOUGH where it scales, where the loss is known to a fifth of it, and where the causes are
 * decided.
 */
enum sd_runs_wanted sd_next_runs(const struct sd_case *c, const struct sd_ledger *l,
	enum sd_narrowing_end end, double rate, struct sd_run_choice *is);

/* s that a run of every count takes. */
double sd_next_runs_block(const struct sd_analysis *a);

/* Cores to either side within which costs of counts or of lines tell a cause: a quarter of the
 * loss, and no closer than the runs tell the loss, whose growth they are a share of (METHODS 4.5).
 */
double sd_next_runs_counted_half(const struct sd_analysis *a, const struct sd_ledger *l);

/* The half width that an interval of `runs` runs will have with `then` runs: it shrinks with t /
 * sqrt(runs), t of Student's distribution. INFINITY with fewer than two. */
double sd_next_runs_half(double half, unsigned runs, unsigned then);

#endif
