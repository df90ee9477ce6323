/*
 * Which parts of the run are modelled, where not all of it is (SMARTS: Wunderlich et al., ISCA
 * 2003): the beginning, whole, until its rates are known well enough; then parts all over the rest,
 * each after a stretch of which only instructions, loads and stores are counted. A part stands for
 * the stretch before it. The model holds what it held before the stretch, and is warmed at the
 * beginning of a part, uncounted (Conte et al., ICCD 1996). A part that is unlike those before it
 * goes on until the rates are steady again. How precise the counts are is told by how parts differ.
 * Parts whose accesses other threads may notice (of contended lines above all) are shorter: each
 * costs the model as much as many instructions, and tells more.
 */
#ifndef SIM_SAMPLED_PARTS_H
#define SIM_SAMPLED_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "threads/guest_run.h"

#define SIM_SAMPLED_PART 10000000u /* instructions of all threads at most */
#define SIM_SAMPLED_LEAST (SIM_SAMPLED_PART / 40)
#define SIM_SAMPLED_RECENT 20

/* The last: modelled cycles lost, by all counts. */
enum sim_sampled_rate {
	SIM_SAMPLED_L1,
	SIM_SAMPLED_LLC,
	SIM_SAMPLED_WALKS,
	SIM_SAMPLED_MOVES,
	SIM_SAMPLED_LOST,
	SIM_SAMPLED_RATES
};

/* Counts an instruction of some parts. */
struct sim_sampled_spread {
	uint64_t n;
	double length; /* instructions of one, in the mean */
	double mean[SIM_SAMPLED_RATES], squares[SIM_SAMPLED_RATES]; /* of differences from it */
};

enum sim_sampled_state {
	SIM_SAMPLED_BEGINNING,
	SIM_SAMPLED_RESTS,
	SIM_SAMPLED_WARMS,
	SIM_SAMPLED_COUNTS
};

struct sim_sampled_parts {
	enum sim_sampled_state state;
	uint64_t next;             /* instructions at which more is to be done */
	uint64_t length, replayed; /* instructions of a part; what the replay had cost where it was
				      set, in instructions */
	uint64_t begin;            /* of what is being counted */
	uint64_t on;               /* of the model's working, before */
	uint64_t end;   /* of the part before: what the next one stands for begins here */
	uint64_t since; /* where the rates became what they are */
	uint64_t beginning, parts, random; /* parts of the beginning, of the rest */
	unsigned more;                     /* tenths of a part to go on, for rates that changed */
	double modelled, last;             /* instructions counted by the model; in the last part */
	double represented_squares;        /* of the lengths that parts stand for */
	uint64_t unfilled;                 /* misses of the LLC where nothing was, at `begin` */
	double unseen; /* estimated: of them, what may have been there before, unseen in a rest */
	double count[SIM_SAMPLED_RATES], total[SIM_SAMPLED_RATES]; /* at `begin`; estimated */
	struct sim_sampled_spread first, later; /* of the beginning's last parts, of those after */
	struct sim_sampled_part {
		double n, rate[SIM_SAMPLED_RATES]; /* n: its instructions */
	} recent[SIM_SAMPLED_RECENT];              /* since the rates changed */
	uint64_t n_recent;
};

/* At the beginning of the run. */
void sim_sampled_parts_open(struct sim_sampled_parts *s);

/*
 * All threads together have done `now` instructions, s->next or more: whether they are modelled
 * from here on. After 0 the caller says when that has come to pass, and after 1 the same, where it
 * is not at once (sim_sampled_parts_warm). Under the run's lock.
 */
int sim_sampled_parts_step(struct sim_sampled_parts *s, struct sim_run *r, uint64_t now);
void sim_sampled_parts_warm(struct sim_sampled_parts *s, const struct sim_run *r, uint64_t now);

/* The run ends. */
void sim_sampled_parts_finish(struct sim_sampled_parts *s, const struct sim_run *r, uint64_t now);

/* How many times the last part is to be counted more, for what no part stands for yet. */
double sim_sampled_parts_tail(const struct sim_sampled_parts *s, double instructions);

/*
 * Half of the 95 % interval of a count, relative to it; below 0: not known, or nothing was counted.
 * A miss of the LLC to a place that nothing has filled is the first of its line, or one of a line
 * that came in a rest (Wood et al., SIGMETRICS 1991): it may be none.
 */
double sim_sampled_parts_half(
	const struct sim_sampled_parts *s, double instructions, enum sim_sampled_rate rate);

/* Writes how sure the counts of so many instructions are; returns the share that was modelled. */
double sim_sampled_parts_say(
	const struct sim_sampled_parts *s, double instructions, char *text, size_t n);

#endif
