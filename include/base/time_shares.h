/*
 * How time is split among measurements that follow each other: the kernels of a calibration, the
 * cells of a kernel. A pure function of the clock.
 */
#ifndef SD_TIME_SHARES_H
#define SD_TIME_SHARES_H

/* All in s since the beginning. */
struct sd_time_shares {
	double total; /* planned for all together */
	double end;   /* nothing is begun after it; at least `total` */
	double all;   /* all weights, > 0 */
};

struct sd_share {
	double budget; /* to plan with */
	double end;    /* begin nothing after it */
};

/*
 * The share of the measurement of this weight that is about to begin at `now`; `after` is the
 * weight of those behind it. What its predecessors left over is divided by weight. One that needs
 * more than its budget, as on a busy machine, may go on, but half of what was planned for those
 * behind it stays theirs; and it has half of its own plan itself, however late it is, while the end
 * allows.
 */
struct sd_share sd_share_of(
	const struct sd_time_shares *s, double now, double weight, double after);

#endif
