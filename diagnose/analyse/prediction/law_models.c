#include "prediction/law_models.h"

#include <math.h>

#include "prediction/scaling_fits.h"

#define BIT(law) (1u << SD_MODEL_##law)

static const enum sd_law_kind whole_kind[] = {SD_LAW_AND_LINEAR, SD_LAW_AND_SQUARE, SD_LAW_AND_LOG};
#define WHOLES (sizeof whole_kind / sizeof *whole_kind)

static void fit_parts(const struct sd_spans *s, struct sd_law_models *out)
{
	struct sd_law_points p = {.n = s->n, .unit = s->total, .count = s->count};

	out->n_part = s->parts ? SD_PART_COUNT : 1;
	for (size_t k = 0; k < out->n_part; k++) {
		p.c = s->parts ? s->part[k] : s->total;
		out->part[k] = sd_law_choose(&p);
	}
	out->has |= BIT(PARTS);
}

static void fit_whole(const struct sd_spans *s, struct sd_law_models *out)
{
	const struct sd_law_points p = {s->n, s->total, s->total, s->count};

	for (size_t k = 0; k < WHOLES; k++)
		out->whole[k] = sd_law_fit(whole_kind[k], &p);
	out->has |= BIT(LINEAR) | BIT(SQUARE) | BIT(LOG);
}

void sd_law_models_fit(const struct sd_spans *s, struct sd_law_models *out)
{
	struct sd_curve c[SD_LAW_MODELS_POINTS];
	struct sd_value v;

	*out = (struct sd_law_models){.n0 = s->n[0], .t0 = s->total[0] / s->n[0]};
	for (size_t i = 0; i < s->count; i++)
		c[i] = (struct sd_curve){s->n[i] / out->n0, out->t0 * s->n[i] / s->total[i]};
	/* with fewer there is no choosing, and with one less only among the simplest */
	if (s->count >= SD_LAW_POINTS)
		fit_parts(s, out);
	else
		fit_whole(s, out);
	v = sd_scaling_fits_amdahl(c, s->count);
	if (!s->weak && sd_has(v)) {
		out->serial = v.value;
		out->has |= BIT(AMDAHL);
	}
	sd_scaling_fits_usl(c, s->count, &out->usl);
	if (sd_has(out->usl.usl_alpha))
		out->has |= BIT(USL);
}

static double usl_speedup(const struct sd_fits *f, double p)
{
	return f->usl_gamma.value * p /
	       (1 + f->usl_alpha.value * (p - 1) + f->usl_beta.value * p * (p - 1));
}

double sd_law_models_time(const struct sd_law_models *m, enum sd_model_law law, double n)
{
	const double p = n / m->n0;
	double sum = 0;

	switch (law) {
	case SD_MODEL_PARTS:
		for (size_t k = 0; k < m->n_part; k++)
			sum += sd_law_at(&m->part[k], n);
		return sum / n;
	case SD_MODEL_AMDAHL:
		return m->t0 * (m->serial + (1 - m->serial) / p);
	case SD_MODEL_USL:
		return m->t0 / usl_speedup(&m->usl, p);
	case SD_MODEL_LINEAR:
	case SD_MODEL_SQUARE:
	case SD_MODEL_LOG:
		return sd_law_at(&m->whole[law - SD_MODEL_LINEAR], n) / n;
	case SD_MODEL_LAWS:
		break;
	}
	return NAN;
}

double sd_law_models_missed(const struct sd_spans *s)
{
	struct sd_spans before = *s;
	struct sd_law_models m;
	double least = INFINITY, n, time;

	if (s->count < 2)
		return INFINITY;
	before.count--;
	n = s->n[before.count];
	time = s->total[before.count] / n;
	sd_law_models_fit(&before, &m);
	for (int law = 0; law < SD_MODEL_LAWS; law++)
		if (m.has >> law & 1)
			least = fmin(least,
				fabs(log(
					sd_law_models_time(&m, (enum sd_model_law)law, n) / time)));
	return least;
}
