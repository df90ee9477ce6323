/*
 * The times of some core counts and the laws that go through them (METHODS 6.1).
 */
#ifndef SD_LAW_MODELS_H
#define SD_LAW_MODELS_H

#include "analysis/analysis.h"
#include "prediction/growth_laws.h"
#include "accounting/run_parts.h"

/* More counts say nothing more of curves with two parameters. */
#define SD_LAW_MODELS_POINTS 24u

/* Core counts and the core-seconds that the reference's work takes there. */
struct sd_spans {
	size_t count;
	double n[SD_LAW_MODELS_POINTS];     /* rising */
	double total[SD_LAW_MODELS_POINTS]; /* core-s: n * time / omega */
	double part[SD_PART_COUNT][SD_LAW_MODELS_POINTS];
	int parts; /* part[] is known and sums to total[] at each */
	int weak;
};

enum sd_model_law {
	SD_MODEL_PARTS,  /* the sum of what the parts take, each by its own law */
	SD_MODEL_AMDAHL, /* strong scaling only */
	SD_MODEL_USL,
	SD_MODEL_LINEAR, /* the whole by one law; only where there are too few counts to choose */
	SD_MODEL_SQUARE,
	SD_MODEL_LOG,
	SD_MODEL_LAWS
};

struct sd_law_models {
	double n0, t0; /* of the first count */
	unsigned has;  /* a bit for each law that so many counts carry */
	struct sd_law part[SD_PART_COUNT];
	size_t n_part;
	double serial;
	struct sd_fits usl;
	struct sd_law whole[3];
};

void sd_law_models_fit(const struct sd_spans *s, struct sd_law_models *out);

/* Seconds by one of the laws in `has`; not positive or not finite where it makes no sense. */
double sd_law_models_time(const struct sd_law_models *m, enum sd_model_law law, double n);

/* What the best of the laws, fitted without the last count, missed its time by: |log|. Not finite
 * when there are none. */
double sd_law_models_missed(const struct sd_spans *s);

#endif
