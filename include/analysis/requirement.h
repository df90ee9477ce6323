/*
 * Requirements on a record for a machine to judge: `scalediag check --require`. Judged on the
 * bounds of intervals, never on a point estimate.
 */
#ifndef SD_GATE_H
#define SD_GATE_H

#include <stddef.h>

#include "analysis/analysis.h"
#include "analysis/comparison.h"

enum sd_gate_kind {
	SD_GATE_NUMBER,   /* "efficiency@8>=0.8" */
	SD_GATE_NO_CAUSE, /* "no lock-contention" */
	SD_GATE_SCALES,   /* "scales" */
	SD_GATE_BASELINE, /* not slower than before by more than the tolerance */
};

/* One requirement; a number's name is wall (s), speedup, efficiency, parallelism, karp-flatt, or a
 * component of the stack (cores). */
struct sd_gate {
	enum sd_gate_kind kind;
	char text[128]; /* as it was asked for */
	char name[32];
	enum sd_cause cause;
	unsigned cores; /* 0: the largest point */
	int least;      /* >=, else <= */
	double bound;
};

/*
 * met: the whole interval is on the right side; violated: the whole interval is on the wrong one;
 * undecided: the bound lies within it, or what it asks for was not measured: `why` says which.
 */
enum sd_gate_outcome { SD_GATE_MET, SD_GATE_VIOLATED, SD_GATE_UNDECIDED };
extern const char *const sd_gate_outcome_name[];

struct sd_gate_result {
	const struct sd_gate *gate; /* borrowed */
	enum sd_gate_outcome outcome;
	struct sd_interval seen; /* absent when there is no number to show */
	unsigned cores;          /* of the point judged; 0 none */
	char why[256];
};

/* 0; -EINVAL and a sentence in `why`, which names what was expected. */
int sd_gate_parse(const char *text, struct sd_gate *out, char *why, size_t size);

void sd_gate_judge(
	const struct sd_gate *g, const struct sd_analysis *a, struct sd_gate_result *out);

/* The time of one common point against the baseline: slower by more than `tolerance` (a fraction)?
 */
void sd_gate_baseline(const struct sd_compared_point *p, double tolerance, struct sd_gate *gate,
	struct sd_gate_result *out);

#endif
