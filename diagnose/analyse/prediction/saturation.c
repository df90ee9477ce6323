#include "prediction/saturation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "prediction/predict.h"

/* Narrower by less than this share, a run is not worth proposing. */
#define WORTH .1

static const struct sd_interval *speedup_at(const struct sd_analysis *a, unsigned cores)
{
	for (size_t i = 0; i < a->n_point; i++)
		if (a->point[i].cores == cores)
			return a->point[i].n == cores ? &a->point[i].speedup : NULL;
	for (size_t i = 0; i < a->outlook.n_count; i++)
		if (a->outlook.count[i].cores == cores)
			return &a->outlook.count[i].speedup;
	return NULL;
}

/* From the largest count down: what holds at a count and at all above it. */
static void settle(struct sd_outlook *o, unsigned cores, const struct sd_interval *one,
	const struct sd_interval *two, int *still)
{
	if (!o->stops_known)
		o->stops_known = cores;
	still[0] &= two->low < SD_SATURATION_GAIN * one->high;
	still[1] &= two->value < SD_SATURATION_GAIN * one->value;
	still[2] &= two->high < SD_SATURATION_GAIN * one->low;
	if (still[0])
		o->stops_low = cores;
	if (still[1])
		o->stops = cores;
	if (still[2])
		o->stops_high = cores;
}

void sd_saturation_fill(struct sd_analysis *a)
{
	int still[3] = {1, 1, 1};

	for (size_t i = a->n_point; i-- > 0;) {
		const struct sd_interval *one = speedup_at(a, a->point[i].cores);
		const struct sd_interval *two = speedup_at(a, 2 * a->point[i].cores);

		if (one && two && sd_status_bounded(*one) && sd_status_bounded(*two))
			settle(&a->outlook, a->point[i].cores, one, two, still);
	}
}

/* Spans with one more count, that came out in the middle of what the laws say of it. */
static int with(const struct sd_envelope *e, double n, struct sd_spans *out)
{
	double low, high, total;
	size_t at = 0;

	if (e->spans.count == SD_LAW_MODELS_POINTS ||
		sd_envelope_band(e->limits, &e->spans, e->missed, n, &low, &high))
		return 0;
	*out = e->spans;
	total = n * sqrt(low * high);
	while (at < out->count && out->n[at] < n)
		at++;
	for (size_t i = out->count; i-- > at;) {
		out->n[i + 1] = out->n[i];
		out->total[i + 1] = out->total[i];
	}
	out->n[at] = n;
	out->total[at] = total;
	out->count++;
	out->parts = 0;
	return 1;
}

static double width(const struct sd_envelope *e, const struct sd_spans *s, double n)
{
	double low, high;

	if (sd_envelope_band(e->limits, s, sd_law_models_missed(s), n, &low, &high))
		return INFINITY;
	return log(high / low);
}

/* The best of the counts in the middle between measured ones; 0 none. */
static unsigned between(const struct sd_envelope *e, double target)
{
	struct sd_spans s = e->spans;
	double least;
	unsigned best = 0;

	s.parts = 0; /* like is compared with like: of the new count there would be no parts */
	least = (1 - WORTH) * width(e, &s, target);
	for (size_t i = 1; i < e->spans.count; i++) {
		const double n = floor((e->spans.n[i - 1] + e->spans.n[i]) / 2);
		double w;

		if (n <= e->spans.n[i - 1] || !with(e, n, &s))
			continue;
		w = width(e, &s, target);
		if (w < least) {
			least = w;
			best = (unsigned)n;
		}
	}
	return best;
}

/* The count in the middle of the widest gap, by ratio; 0: there are no counts between. */
static unsigned gap(const struct sd_envelope *e)
{
	const struct sd_chosen *p = e->choice->point;
	double widest = 0;
	unsigned best = 0;

	for (size_t i = 1; i < e->choice->n_point; i++) {
		const double ratio = (double)p[i].n / p[i - 1].n;

		if (p[i].n < p[i - 1].n + 2 || ratio <= widest)
			continue;
		widest = ratio;
		best = (unsigned)sqrt((double)p[i].n * p[i - 1].n);
		best += best == p[i - 1].n;
	}
	return best;
}

/* The most cores that can be asked for; 0 not known. */
static unsigned most_here(const struct sd_record *r)
{
	if (r->host.granted)
		return r->host.granted;
	return (unsigned)r->layout.n_pu;
}

static int propose(struct sd_outlook *o, unsigned cores, const char *why)
{
	o->next_run = cores;
	o->next_why = strdup(why);
	return o->next_why ? 0 : -ENOMEM;
}

int sd_saturation_next(const struct sd_record *r, const struct sd_envelope *e,
	const struct sd_reach *reach, struct sd_outlook *o)
{
	const unsigned most = most_here(r);
	const unsigned wanted = o->last < UINT32_MAX / 2 ? 2 * o->last : o->last;
	unsigned best = wanted;

	/* more runs of the same counts are what is missing, and that is said */
	if (o->refused && e->n_fit >= SD_PREDICT_POINTS)
		return 0;
	/* what can be measured need not be predicted */
	if (most && most < best)
		best = most;
	if (best > o->last)
		return propose(o, best,
			reach->known && reach->border && best > reach->same
				? "it shows what the other CPUs are worth"
				: "measured, it need not be predicted");
	if (o->refused)
		return (best = gap(e)) ? propose(o, best, "one more count for the laws") : 0;
	best = between(e, wanted);
	return best ? propose(o, best,
			      "of the counts between the measured ones it parts the laws most")
		    : 0;
}
