#include "prediction/predict.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs/machine_borders.h"
#include "prediction/envelope.h"
#include "prediction/saturation.h"

static char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *fmt, ...)
{
	char *out = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&out, fmt, ap) < 0)
		out = NULL;
	va_end(ap);
	return out;
}

static int usable(const struct sd_chosen *p)
{
	return p->n == p->cores && p->median_time > 0 && p->n_run > 0;
}

/* The points whose cores are used as those of the last are; of many, evenly spread and the last. */
static void choose(const struct sd_record *r, const struct sd_run_selection *c, size_t last,
	struct sd_envelope *e, size_t *all)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i <= last; i++)
		n += usable(&c->point[i]) &&
		     sd_machine_borders_alike(r, &c->point[i], &c->point[last]);
	*all = n;
	for (size_t i = 0; i <= last; i++) {
		if (!usable(&c->point[i]) ||
			!sd_machine_borders_alike(r, &c->point[i], &c->point[last]))
			continue;
		/* the k-th of n is the j-th of SD_LAW_MODELS_POINTS when j moves on there */
		if (n <= SD_LAW_MODELS_POINTS ||
			k * (SD_LAW_MODELS_POINTS - 1) / (n - 1) >= e->n_fit)
			e->fit[e->n_fit++] = i;
		k++;
	}
}

/* Why nothing can be predicted, or NULL; -ENOMEM in *rc. */
static char *refusal(const struct sd_run_selection *c, const struct sd_envelope *e, size_t alike,
	size_t last, int *rc)
{
	const struct sd_chosen *p = &c->point[last];
	size_t usable_points = 0;
	char *out = NULL;

	for (size_t i = 0; i <= last; i++)
		usable_points += usable(&c->point[i]);
	if (alike < SD_PREDICT_POINTS && alike < usable_points)
		out = text("only %zu of the %zu core counts use%s cores as %u do (SMT siblings, "
			   "kinds of core); a prediction needs %u such counts",
			alike, usable_points, alike == 1 ? "s" : "", p->cores, SD_PREDICT_POINTS);
	else if (alike < SD_PREDICT_POINTS)
		out = text("that takes %u measured core counts, and there %s %zu",
			SD_PREDICT_POINTS, alike == 1 ? "is" : "are", alike);
	else {
		size_t i = 0;

		const struct sd_chosen *once = &c->point[0]; /* the reference counts in each */

		while (i < e->n_fit && c->point[e->fit[i]].n_run > 1)
			i++;
		if (i < e->n_fit)
			once = &c->point[e->fit[i]];
		if (once->n_run > 1)
			return NULL;
		out = text(
			"at %u core%s it ran once, and a prediction needs two runs at each count",
			once->cores, once->cores == 1 ? "" : "s");
	}
	*rc = out ? 0 : -ENOMEM;
	return out;
}

/* Seconds, for the reference's work, that one thread ran alone at this point. */
static double alone(const struct sd_chosen *p)
{
	const double serial =
		p->mean.part[SD_PART_SERIAL] + sd_run_parts_spun(&p->mean, SD_PART_SPIN_SERIAL);

	if (!(p->known & SD_RUN_PARTS_POLLER) || p->n < 2)
		return 0;
	return serial * p->n / (p->n - 1) * p->median_time / p->work;
}

static void find_ceiling(
	const struct sd_calibration *k, const struct sd_point *at, double time, struct sd_limits *l)
{
	const struct sd_ceiling *before = NULL, *last = NULL;

	for (size_t i = 0; i < k->n_ceiling; i++)
		if (sd_has(k->ceiling[i].bandwidth) && k->ceiling[i].bandwidth.value > 0) {
			before = last;
			last = &k->ceiling[i];
		}
	for (size_t i = 0; last && i < at->n_shown; i++)
		if (strcmp(at->shown[i].name, "memory-bandwidth") == 0 &&
			strcmp(at->shown[i].unit, "bytes/s") == 0 &&
			at->shown[i].value.status == SD_STATUS_OK)
			l->bytes = at->shown[i].value.value * time;
	if (!last)
		return;
	l->ceiling = last->bandwidth.value;
	l->ceiling_n = last->cores;
	/* with one count alone nobody knows how it goes on: in proportion at most */
	l->slope = before ? (last->bandwidth.value - before->bandwidth.value) /
				    (last->cores - before->cores)
			  : l->ceiling / l->ceiling_n;
}

static void find_limits(const struct sd_record *r, const struct sd_run_selection *c, size_t last,
	const struct sd_analysis *a, struct sd_limits *l)
{
	const struct sd_chosen *p = &c->point[last];

	*l = (struct sd_limits){.last_n = p->n, .last_time = p->median_time / p->work};
	l->serial = alone(p);
	for (size_t i = 0; last + 1 == c->n_point && i < a->n_lock; i++)
		if (sd_has(a->lock[i].busy))
			l->lock = fmax(l->lock, a->lock[i].busy.value * l->last_time);
	find_ceiling(&r->calibration, &a->point[last], l->last_time, l);
}

static int say_basis(const struct sd_envelope *e, const struct sd_reach *reach, unsigned beyond,
	struct sd_outlook *o)
{
	const struct sd_limits *l = e->limits;
	int rc = sd_texts_add(&o->basis,
		"the range is what %s%s%s say after a fit to %zu core counts; fitted without the "
		"runs at %u cores, the best of them is wrong there by %.2g %%",
		e->n_fit < SD_LAW_POINTS ? "three laws of growth"
		: e->spans.parts         ? "laws of growth for each part of the stack"
					 : "a law of growth",
		e->weak        ? ""
		: e->n_fit < 6 ? " and Amdahl's law"
			       : ", Amdahl's law",
		e->n_fit < 6 ? "" : " and the USL", e->n_fit, o->last, 100 * expm1(e->missed));

	if (!rc && l->bytes > 0 && l->ceiling > 0)
		rc = sd_texts_add(&o->basis,
			"it allows no more memory bandwidth than this node's calibrated ceiling, "
			"extended to more cores in a straight line");
	else if (!rc)
		rc = sd_texts_add(&o->basis,
			"lower if memory bandwidth runs out on the way: the program's traffic or "
			"this node's ceiling is not known");
	if (!rc && !reach->known)
		rc = sd_texts_add(&o->basis,
			"wrong if the added cores are in another socket, under another cache, SMT "
			"siblings or of another kind: the record does not know the machine");
	if (!rc && beyond)
		rc = sd_texts_add(&o->basis,
			"from %u cores on it is as if the machine had more of the same CPUs",
			beyond);
	return rc;
}

/* Powers of two past the last count, and its double. */
static size_t counts_past(unsigned last, unsigned out[2])
{
	unsigned power = 1;
	size_t n = 0;

	if (last > UINT32_MAX / 4)
		return 0;
	while (power <= last)
		power *= 2;
	if (power < 2 * last)
		out[n++] = power;
	out[n++] = 2 * last;
	return n;
}

static int fill_counts(const struct sd_record *r, const struct sd_envelope *e,
	const struct sd_reach *reach, struct sd_outlook *o)
{
	unsigned cores[2], beyond = 0;
	struct sd_interval speedup[2] = {{.status = SD_STATUS_ABSENT}};
	const size_t n = counts_past(o->last, cores);
	int rc = sd_envelope_fill(e, r->plan.seed, cores, n, speedup);

	o->count = calloc(2, sizeof *o->count);
	if (rc || !o->count)
		return -ENOMEM;
	o->n_count = n;
	for (size_t i = 0; i < n; i++) {
		struct sd_predicted *p = &o->count[i];

		p->cores = cores[i];
		if (reach->known && cores[i] > reach->same && reach->border)
			p->refused = text(
				"%u cores need %s, which no measured count used: only a run tells",
				cores[i], reach->border);
		else if (speedup[i].status != SD_STATUS_OK)
			p->refused =
				text("%u cores: no law that fits the runs can be extended that far",
					cores[i]);
		else
			p->speedup = speedup[i];
		if (!p->refused && p->speedup.status != SD_STATUS_OK)
			return -ENOMEM;
		p->beyond = !p->refused && reach->known && cores[i] > reach->same;
		if (p->beyond && !beyond)
			beyond = cores[i];
	}
	return say_basis(e, reach, beyond, o);
}

int sd_predict_fill(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *out)
{
	struct sd_outlook *o = &out->outlook;
	struct sd_limits limits;
	struct sd_reach reach;
	struct sd_envelope e = {.choice = choice,
		.limits = &limits,
		.weak = r->program.scaling == SD_SCALING_WEAK || choice->rates};
	size_t last = choice->n_point, alike;
	int rc = 0;

	while (last > 0 && !usable(&choice->point[last - 1]))
		last--;
	if (last-- == 0)
		return 0;
	o->last = choice->point[last].cores;
	choose(r, choice, last, &e, &alike);
	o->points = (unsigned)e.n_fit;
	o->refused = refusal(choice, &e, alike, last, &rc);
	if (!rc)
		rc = sd_machine_borders_make(r, &choice->point[last], &reach);
	if (rc)
		return rc;
	if (!o->refused) {
		find_limits(r, choice, last, out, &limits);
		sd_envelope_spans(&e);
		rc = fill_counts(r, &e, &reach, o);
	}
	if (rc)
		return rc;
	sd_saturation_fill(out);
	return sd_saturation_next(r, &e, &reach, o);
}

int sd_predict_withdraw(struct sd_analysis *out)
{
	struct sd_outlook *o = &out->outlook;

	if (!out->no_verdict)
		return 0;
	o->stops = o->stops_low = o->stops_high = o->stops_known = 0;
	for (size_t i = 0; i < o->n_count; i++)
		free(o->count[i].refused);
	free(o->count);
	o->count = NULL;
	o->n_count = 0;
	sd_texts_free(&o->basis);
	if (o->refused)
		return 0;
	o->refused = text("%s", out->no_verdict);
	return o->refused ? 0 : -ENOMEM;
}
