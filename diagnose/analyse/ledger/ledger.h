/*
 * The ledger: all statements of all sources, combined to one pair of bounds a cause that together
 * fit into the exact stack (METHODS 4.3). Pure arithmetic: no order of the sources matters, and a
 * source that bounds nothing changes nothing.
 */
#ifndef SD_LEDGER_H
#define SD_LEDGER_H

#include <stddef.h>

#include "analysis/analysis.h"
#include "ledger/disturbance.h"
#include "ledger/statement.h"

/* A cause matters from this share of the cores on (METHODS 3). */
#define SD_LEDGER_GATE .05

/* The properties of a cause that bound it. */
struct sd_ledger_row {
	unsigned long
		components; /* a bit each: where its cores can be, as far as they are told apart */
	unsigned mechanism; /* SD_SEES_*: what a source must see to bound it from above */
	int of_others;      /* what others take, or do not grant: none of the program's loss */
};

/* N (1 - E) in cores, and the disturbances it contains; status absent: there is none. */
struct sd_ledger_loss {
	struct sd_interval cores;
	unsigned disturbed_by;
};
#define SD_LEDGER_LOSSES 2 /* as it was seen; on cores that nobody else uses */

struct sd_ledger_case {
	double n; /* cores of the judged point */
	/* Cores that the judged point has more than the reference; absent: not in this stack. */
	const struct sd_interval *component; /* SD_COMPONENT_COUNT */
	/* Bounds on the loss as a whole; each holds by itself. */
	struct sd_ledger_loss loss[SD_LEDGER_LOSSES];
	const struct sd_ledger_row *row; /* SD_CAUSE_COUNT */
	const struct sd_statement *statement;
	size_t n_statement;
	const struct sd_disturbance *disturbance; /* SD_DISTURBANCE_COUNT */
};

/* The cores of a cause, 0 <= lower <= upper <= n. */
struct sd_bounds {
	double lower, upper;
	double value; /* the best estimate: of the statement that sets lower, within the bounds */
	/* The statements that set them; borrowed from the case. NULL: no statement bounds from
	 * below; the stack and what others surely take of it, or all cores, from above. */
	const struct sd_statement *least, *most;
	/* 1: the two contradict each other; lower and upper are both kept, the smaller as lower. */
	int disagree;
	int intervened; /* an intervention alone says that at least the gate is its doing */
	int sized;      /* what speaks for it says how much */
	unsigned long components; /* of its row */
	int spoken; /* as much as the gate was observed or modelled for it, however little of
		       that is sure */
};

struct sd_ledger {
	double n;
	struct sd_bounds cause[SD_CAUSE_COUNT];
	double loss_lower, loss_upper; /* cores, after what disturbs them; 0..n */
	/* the most that can be gained: loss_upper without what others, who keep threads apart, can
	 * have hidden beyond what they cost */
	double loss_most;
	double loss;             /* the best estimate, 0..n: within the bounds */
	unsigned long of_others; /* causes, a bit each */
};

void sd_ledger_make(const struct sd_ledger_case *c, struct sd_ledger *out);

#endif
