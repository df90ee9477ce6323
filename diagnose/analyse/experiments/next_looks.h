/*
 * Two ways to look closer and what they would tell: watchpoints in a run more, a burst of samples
 * of loads and stores. A pure function of what is known so far (METHODS 4.5).
 */
#ifndef SD_NEXT_LOOKS_H
#define SD_NEXT_LOOKS_H

#include "case/case.h"
#include "ledger/narrowing.h"

/* Do several threads read a line of a part of the time worth asking about, which no sample writes,
 * and was nobody asked who does? */
int sd_next_looks_unwatched(const struct sd_chosen *p);

/*
 * Cores a second by which a WATCH or a BURST is expected to narrow the bounds of the causes that
 * matter, and *is; 0, with *is empty: it was done, there is nothing to look at, or the causes are
 * decided. That this machine can sample loads and stores is assumed.
 */
double sd_next_looks(const struct sd_case *c, const struct sd_ledger *l, enum sd_narrowing_end end,
	enum sd_look look, struct sd_run_choice *is);

#endif
