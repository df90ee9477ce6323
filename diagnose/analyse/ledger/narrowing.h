/*
 * Which experiment next: the one that is expected to narrow the bounds of the causes that matter
 * most for each second it takes (METHODS 4.5).
 */
#ifndef SD_NARROWING_H
#define SD_NARROWING_H

#include <stddef.h>

#include "ledger/ledger.h"
#include "record/experiment.h"

/* The bounds of a cause that an experiment can move. */
struct sd_narrowing_move {
	enum sd_cause cause;
	unsigned sides; /* SD_BOUND_* */
};

/* An experiment's next step: a pair of runs, a simulation, a calibration. */
struct sd_narrowing_step {
	double seconds; /* > 0; what it takes */
	double half;    /* cores; what it then leaves open to either side of what it finds */
	const struct sd_narrowing_move *move; /* borrowed */
	size_t n_move;
};

enum sd_narrowing_end {
	SD_NARROWING_GO_ON, /* with *next */
	SD_NARROWING_DECIDED,
	SD_NARROWING_NOTHING, /* no step is expected to narrow anything */
	SD_NARROWING_BUDGET   /* some are, and none of them fits into what is left */
};

/* Cores by which a step narrows the bounds of the causes that matter, on average; 0 where it is
 * less than half a gate, which changes no verdict but by chance. */
double sd_narrowing_expected(const struct sd_ledger *l, const struct sd_narrowing_step *s);

/* The cause of which it narrows them most; COUNT: of none. */
enum sd_cause sd_narrowing_of(const struct sd_ledger *l, const struct sd_narrowing_step *s);

/* Cores by which the scatter of the runs alone keeps the bounds of the causes that matter from what
 * was seen of them, and the cause with most of it (COUNT: none): what more runs narrow, as they do
 * the loss. What changed runs showed gets no better by plain ones, and what others took is no
 * answer. */
double sd_narrowing_scatter(const struct sd_ledger *l, enum sd_cause *of);

/* The next of n steps, with `budget` seconds left. The first of equal ones. */
enum sd_narrowing_end sd_narrowing_next(const struct sd_ledger *l,
	const struct sd_narrowing_step *step, size_t n, double budget, size_t *next);

#endif
