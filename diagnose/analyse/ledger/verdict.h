/*
 * Verdicts from bounds: each cause's, their order, whether the program scales, and what a fix gains
 * (METHODS 4.4).
 */
#ifndef SD_VERDICT_H
#define SD_VERDICT_H

#include "ledger/ledger.h"

/* Cores that are surely lost: of all, and of the causes, what matters of each, the more. Waits and
 * spinning are the same share of every run where the times vary, and the lower bounds fit into the
 * stack together. */
double sd_verdict_surely_lost(const struct sd_ledger *l);

/*
 * Does it scale: yes when surely less is lost than 1 - SD_SCALES_FROM, whatever disturbed the
 * runs; no when surely as much is, in all, or to the causes together, whose shares may be known
 * better than the time of a run. Else the bounds say what is known.
 */
enum sd_scales sd_verdict_scales(const struct sd_ledger *l);

/*
 * Is there nothing to find: less than the gate lost by the best estimate, and surely less than two:
 * on machines that others share, the times of a program without any loss seldom agree to the gate
 * (METHODS 5).
 */
int sd_verdict_lossless(const struct sd_ledger *l);

/* Does it scale, and loses no gate by the best estimate: nothing is there that a cause would
 * explain, unless one is sure. */
int sd_verdict_lost_nothing(const struct sd_ledger *l);

/* The verdict on a cause; of a program without a loss none is a cause of lost scaling. One that
 * scales may have small ones, sure ones where it has no loss. */
enum sd_verdict sd_verdict_of(const struct sd_ledger *l, enum sd_cause cause);

/* The causes by what is surely theirs, then by the middle of their bounds, largest first; of equal
 * ones in the order of the causes. Never by the verdict's word. Of causes of which the gate is not
 * sure, those that somebody sized stand by what is sure and half of their best estimate. What
 * others took of the machine comes after all of the program's own causes of which the gate, or more
 * of them than of it, is sure: it does not make them less, and is gone on another day. */
void sd_verdict_order(const struct sd_ledger *l, enum sd_cause order[SD_CAUSE_COUNT]);

/*
 * So many times as fast is the program without the cause, at the judged count: with the lower bound
 * free and what other causes have growing with the pace; for the best estimate with its part of
 * what nobody explains of the loss; and for the larger of the upper bound and what the other causes
 * surely leave of the loss: growth that nothing explains may go with the cause that is fixed. So
 * may `reference`: cores that the cause's own mechanism takes at the reference already, >= 0. high,
 * or value, is INFINITY where it would be four times the gain of a program without any loss, or
 * more.
 */
struct sd_interval sd_verdict_gain(
	const struct sd_ledger *l, enum sd_cause cause, double reference);

#endif
