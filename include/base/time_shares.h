/*
 * Divides time among consecutive measurements: the kernels of a calibration, the cells of a kernel.
 * A pure function of the clock.
 */
#ifndef SD_TIME_SHARES_H
#define SD_TIME_SHARES_H

/* All in s since the beginning. */
struct sd_time_shares {
	double total; /* planned for all together */
	double end;   /* nothing starts after it; at least `total` */
	double all;   /* all weights, > 0 */
};

struct sd_share {
	double budget; /* to plan with */
	double end;    /* start nothing after it */
};

/*
 * The share of a measurement of this weight that is about to start at `now`; `after` is the total
 * weight of those that follow. Time left over by its predecessors is divided by weight. A
 * measurement may exceed its budget, as on a busy machine, but at least half of the time planned
 * for its successors is kept for them; and however late it starts, it gets half of its own plan as
 * long as `end` allows.
 */
struct sd_share sd_share_of(
	const struct sd_time_shares *s, double now, double weight, double after);

#endif
