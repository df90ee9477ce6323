/*
 * The envelope of a prediction: several laws, resamples of whole runs, and what cannot be exceeded
 * (METHODS 6.1).
 */
#ifndef SD_ENVELOPE_H
#define SD_ENVELOPE_H

#include "runs/run_selection.h"
#include "prediction/law_models.h"

#define SD_ENVELOPE_DRAWS 200u

/* What no law may promise more than; seconds for the reference's work, 0 unknown. */
struct sd_limits {
	double serial; /* one thread ran alone for so long */
	double lock;   /* somebody waited for the busiest lock for so long */
	double bytes;  /* moved by the last count */
	/* the ceiling of the node, bytes/s, goes on at most on the straight line of its last two
	 * counts, since it rises ever slower */
	double ceiling, slope, ceiling_n;
	double last_n, last_time;
};

struct sd_envelope {
	const struct sd_run_selection *choice;
	const struct sd_limits *limits;
	size_t fit[SD_LAW_MODELS_POINTS]; /* points of the choice that laws are fitted to, rising */
	size_t n_fit;
	int weak;
	struct sd_spans spans; /* of their medians, by sd_envelope_spans */
	double missed;         /* sd_law_models_missed of these */
};

/* Fills spans and missed. */
void sd_envelope_spans(struct sd_envelope *e);

/* The band of seconds at n cores by one set of spans, without resamples; log(high/low) is its
 * width. 0, or -ENODATA when no law makes sense there. */
int sd_envelope_band(const struct sd_limits *limits, const struct sd_spans *s, double missed,
	double n, double *low, double *high);

/* The speedup at each of the counts. 0 or -ENOMEM; absent where no law makes sense. */
int sd_envelope_fill(const struct sd_envelope *e, uint64_t seed, const unsigned *cores,
	size_t n_cores, struct sd_interval *speedup);

#endif
