/*
 * Laws fitted to the times of some core counts (METHODS 6.1).
 */
#ifndef SD_LAW_MODELS_H
#define SD_LAW_MODELS_H

#include "analysis/analysis.h"
#include "prediction/growth_laws.h"
#include "accounting/run_parts.h"

/* More counts add nothing to curves with two parameters. */
#define SD_LAW_MODELS_POINTS 24u

/* Core counts and the core-seconds they take for the reference's work. */
struct sd_spans {
	size_t count;
	double n[SD_LAW_MODELS_POINTS];     /* rising */
	double total[SD_LAW_MODELS_POINTS]; /* core-s: n * time / omega */
	double part[SD_PART_COUNT][SD_LAW_MODELS_POINTS];
	int parts; /* part[] is known and sums to total[] at each count */
	int weak;
};

enum sd_model_law {
	SD_MODEL_PARTS,  /* the sum of the parts, each by its own law */
	SD_MODEL_AMDAHL, /* strong scaling only */
	SD_MODEL_USL,
	SD_MODEL_LINEAR, /* the total by one law; only if there are too few counts to choose */
	SD_MODEL_SQUARE,
	SD_MODEL_LOG,
	SD_MODEL_LAWS
};

struct sd_law_models {
	double n0, t0; /* of the first count */
	unsigned has;  /* a bit for each law that this many counts support */
	struct sd_law part[SD_PART_COUNT];
	size_t n_part;
	double serial;
	struct sd_fits usl;
	struct sd_law whole[3];
};

void sd_law_models_fit(const struct sd_spans *s, struct sd_law_models *out);

/* Seconds by one of the laws in `has`; not positive or not finite where the law is meaningless. */
double sd_law_models_time(const struct sd_law_models *m, enum sd_model_law law, double n);

/* The error |log| of the best law at the last count when fitted without it. Not finite if there are
 * no laws. */
double sd_law_models_missed(const struct sd_spans *s);

#endif
