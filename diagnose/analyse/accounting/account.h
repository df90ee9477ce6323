/*
 * The account of a point in core-seconds, and the exact stack that two accounts make (METHODS 2.1
 * and 2.2).
 */
#ifndef SD_ACCOUNT_H
#define SD_ACCOUNT_H

#include "analysis/analysis.h"
#include "accounting/run_parts.h"

struct sd_account {
	double n, time;                 /* cores and seconds; their product is the capacity */
	unsigned known;                 /* SD_RUN_PARTS_* */
	double part[SD_PART_COUNT];     /* core-seconds; sum n * time */
	double instructions, cycles;    /* of the user time; 0 unknown */
	double stall[SD_STALL_COUNT];   /* cycles an instruction */
	double spin, spin_instructions; /* shares of cycles and instructions */
};

/* An account from fractions: n cores for parts->time. */
void sd_account_make(
	struct sd_account *a, double n, unsigned known, const struct sd_run_parts *parts);

/*
 * The stack of `now` against the reference, in cores; omega is the ratio of their work (1 strong).
 * Base B = omega * (user + system time of the reference), useful = B / T. Growth of user time is
 * `growth` or, with counters on both sides, instructions + cpi-other + frequency by LMDI
 * (METHODS 2.2.5). Spinning is taken out first if both sides know it (`spinning`; if sampled, it
 * counts in full as the wait its part says). The growth of CPI is divided among the mechanisms that
 * both sides counted (2.2.6: what each costs more for an instruction, scaled down if that exceeds
 * the growth). `system` is the growth of system time; waits appear in full. Without CPU times on
 * either side the reference is assumed to have used all its cores, and everything else is
 * unaccounted. Writes every element, 0 for those not part of this stack; they sum to n up to
 * rounding.
 */
void sd_account_stack(const struct sd_account *ref, const struct sd_account *now, double omega,
	double cores[SD_COMPONENT_COUNT]);

/*
 * The part of that stack added from the reference to `now`: useful is 0, and omega times the
 * reference's own waits are subtracted from the waits. Sums to the loss of efficiency, n - omega *
 * n_ref * T_ref / T.
 */
void sd_account_added(const struct sd_account *ref, const struct sd_account *now, double omega,
	double cores[SD_COMPONENT_COUNT]);

/* The components of stacks against this reference, a bit each. */
unsigned long sd_account_components(unsigned known_ref, unsigned known_now);

/* Growth of user time from `from` to `to` core-seconds, divided by LMDI; the three sum to to -
 * from.
 */
struct sd_growth {
	double instructions, cpi, frequency; /* core-s */
};
struct sd_growth sd_account_growth(double from, double from_instructions, double from_cycles,
	double to, double to_instructions, double to_cycles);

/*
 * Growth of CPI explained by the mechanisms that both sides counted, relative to the actual growth:
 * above 1 they overlap, below 1 the rest is not counted. 0 if CPI does not grow or nothing is
 * known.
 */
double sd_account_explained(
	const struct sd_account *ref, const struct sd_account *now, double omega);

#endif
