/*
 * Machine-checked requirements on a record: `scalediag check --require`. Judged by the bounds of
 * intervals, never by a point estimate.
 */
#ifndef SD_REQUIREMENT_H
#define SD_REQUIREMENT_H

#include <stddef.h>

#include "analysis/analysis.h"
#include "analysis/comparison.h"

enum sd_requirement_kind {
	SD_REQUIREMENT_NUMBER,   /* "efficiency@8>=0.8" */
	SD_REQUIREMENT_NO_CAUSE, /* "no lock-contention" */
	SD_REQUIREMENT_SCALES,   /* "scales" */
	SD_REQUIREMENT_COUNT,    /* "moves@8<=1.05x", "instructions@8<=2e9": counted work */
	SD_REQUIREMENT_BASELINE, /* not slower than before by more than the tolerance */
};

/* One requirement; a number's name is wall (s), speedup, efficiency, parallelism, karp-flatt, or a
 * component of the stack (cores); a count's is one of counted_work.h. */
struct sd_requirement {
	enum sd_requirement_kind kind;
	char text[128]; /* as given */
	char name[32];
	enum sd_cause cause;
	unsigned cores; /* 0: the largest point */
	int least;      /* >=, else <= */
	int factor;     /* of a count: the bound is times the baseline's count */
	double bound;
};

/*
 * met: the whole interval satisfies the bound; violated: none of it does; undecided: the bound lies
 * within it, or the number was not measured (`why` says which).
 */
enum sd_requirement_outcome {
	SD_REQUIREMENT_MET,
	SD_REQUIREMENT_VIOLATED,
	SD_REQUIREMENT_UNDECIDED
};
extern const char *const sd_requirement_outcome_name[];

struct sd_requirement_result {
	const struct sd_requirement *gate; /* borrowed */
	enum sd_requirement_outcome outcome;
	struct sd_interval seen; /* absent if there is no number to show */
	unsigned cores;          /* of the point judged; 0 none */
	char why[256];
	/* undecided, and of a baseline: a slowdown beyond the tolerance was not seen, but the
	 * interval does not exclude it */
	int unseen;
};

/* 0; -EINVAL with a sentence in `why` that says what was expected. */
int sd_requirements_parse(const char *text, struct sd_requirement *out, char *why, size_t size);

/* The names of numbers that NAME@CORES>=NUMBER may begin with, by index from 0; NULL: no more. */
const char *sd_requirements_number(size_t i);

/* All but counted work, which sd_counted_work_judge() judges by the runs themselves: here it is
 * undecided. */
void sd_requirements_judge(const struct sd_requirement *g, const struct sd_analysis *a,
	struct sd_requirement_result *out);

/* Judges one common point against the baseline: is it slower by more than `tolerance` (a fraction)?
 */
void sd_requirements_baseline(const struct sd_compared_point *p, double tolerance,
	struct sd_requirement *gate, struct sd_requirement_result *out);

#endif
