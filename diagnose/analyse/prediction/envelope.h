/*
 * The envelope of a prediction: several laws, bootstrapped over whole runs and bounded by known
 * limits (METHODS 6.1).
 */
#ifndef SD_ENVELOPE_H
#define SD_ENVELOPE_H

#include "runs/run_selection.h"
#include "prediction/law_models.h"

#define SD_ENVELOPE_DRAWS 200u

/* Limits on what laws may predict: seconds for the reference's work, 0 unknown. */
struct sd_limits {
	double serial; /* time one thread ran alone */
	double lock;   /* time with a waiter at the busiest lock */
	double bytes;  /* moved at the last count */
	/* the node's ceiling, bytes/s, continues at most along the straight line of its last two
	 * counts, because ceilings are concave */
	double ceiling, slope, ceiling_n;
	double last_n, last_time;
};

struct sd_envelope {
	const struct sd_run_selection *choice;
	const struct sd_limits *limits;
	size_t fit[SD_LAW_MODELS_POINTS]; /* points of the choice that laws are fitted to, ascending
					   */
	size_t n_fit;
	int weak;
	struct sd_spans spans; /* of their medians, set by sd_envelope_spans */
	double missed;         /* sd_law_models_missed of these */
};

/* Fills spans and missed. */
void sd_envelope_spans(struct sd_envelope *e);

/* The range of seconds at n cores from one set of spans, without bootstrap; log(high/low) is its
 * width. 0, or -ENODATA: no law is meaningful there. */
int sd_envelope_band(const struct sd_limits *limits, const struct sd_spans *s, double missed,
	double n, double *low, double *high);

/* The speedup at each of the counts; absent if no law is meaningful there. 0 or -ENOMEM. */
int sd_envelope_fill(const struct sd_envelope *e, uint64_t seed, const unsigned *cores,
	size_t n_cores, struct sd_interval *speedup);

#endif
