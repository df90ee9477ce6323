#include "case/stated.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/statistics.h"
#include "case/cause_weights.h"

struct sd_interval sd_stated_added(const struct sd_case *c, unsigned long components)
{
	const unsigned long set = components & c->loss->components;
	struct sd_interval v;

	if (!set)
		return SD_STATEMENT_OPEN;
	v = sd_cause_weights_added(c, set);
	v.value *= c->loss->n;
	v.low *= c->loss->n;
	v.high *= c->loss->n;
	return v;
}

struct sd_interval sd_stated_of(const struct sd_case *c, sd_stated_amount *amount)
{
	const struct sd_loss *const l = c->loss;

	for (size_t b = 0; b < l->n_sample; b++)
		c->scratch[b] = amount(c, l->added_sample + b * SD_COMPONENT_COUNT);
	return sd_statistics_interval(amount(c, l->added), c->scratch, l->n_sample, l->runs);
}

/* Waits that each run shows by itself, as a share of its own time. */
#define OF_EACH_RUN                                                                         \
	(SD_BIT(LOCK) | SD_BIT(SERIAL) | SD_BIT(IMBALANCE) | SD_BIT(DISK) | SD_BIT(SLEEP) | \
		SD_BIT(NETWORK) | SD_BIT(MPI))

/* A reference with less of a wait than this share of the cores takes no part in the comparison. */
#define NONE .01

/* Cores of these waits in one run. */
static double waits_of(const struct sd_case *c, size_t run, unsigned long set)
{
	double share = 0;

	for (int i = SD_PART_STOLEN; i < SD_PART_COUNT; i++)
		share += set >> sd_part_info[i].component & 1 ? c->last->parts[run].part[i] : 0;
	return share * c->loss->n;
}

/*
 * Is it in every run as much, to within the gate, and not in the reference? How long runs take as a
 * whole, which another speed of the machine changes, is not in the comparison then: each run shows
 * its share by itself, and runs of both speeds show the same.
 */
static int is_steady(const struct sd_case *c, unsigned long set)
{
	const struct sd_loss *const l = c->loss;
	double least = INFINITY, most = 0;

	if (!set || set & ~OF_EACH_RUN || c->last->n_run < SD_STATISTICS_FEW ||
		fabs(sd_cause_weights_sum(l->stack, set) - sd_cause_weights_sum(l->added, set)) >
			NONE * l->n)
		return 0;
	for (size_t j = 0; j < c->last->n_run; j++) {
		const double cores = waits_of(c, j, set);

		least = fmin(least, cores);
		most = fmax(most, cores);
	}
	return most - least <= SD_CASE_GATE * l->n;
}

unsigned sd_stated_disturbed(const struct sd_case *c, unsigned long components)
{
	const unsigned long set = components & c->loss->components;
	unsigned by = 0;

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		by |= set >> k & 1 ? sd_disturbance_of[k] : 0;
	return is_steady(c, set) ? by & ~SD_DISTURBANCE_BIT(TWO_SPEEDS) : by;
}

struct sd_statement sd_stated_components(
	const struct sd_case *c, enum sd_cause cause, const char *id, unsigned long components)
{
	const struct sd_interval v = sd_stated_added(c, components);

	return (struct sd_statement){.cause = cause,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = v,
		.at_most = v,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, components),
		.id = id};
}

struct sd_statement sd_stated_fact(enum sd_cause cause, const char *id)
{
	return (struct sd_statement){.cause = cause,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_most = {.status = SD_STATUS_OK},
		.sees = SD_SEES_WHOLE,
		.id = id};
}

struct sd_interval sd_stated_unsized(const struct sd_case *c)
{
	const double gate = SD_CASE_GATE * c->loss->n;

	return (struct sd_interval){gate, 0, gate, SD_STATUS_OK};
}

struct sd_interval sd_stated_unsure(struct sd_interval v)
{
	return (struct sd_interval){
		v.value, 0, isfinite(v.high) ? fmax(v.high, v.value) : v.value, SD_STATUS_OK};
}

int sd_stated_one_run(const struct sd_case *c)
{
	const struct sd_interval e = c->a->point[c->a->n_point - 1].efficiency;

	return c->a->n_point > 1 && sd_status_measured(e) && !sd_status_bounded(e) &&
	       e.value < 1 - SD_CASE_GATE && !c->scales && !c->fixed_time;
}

int sd_stated_excluded(const struct sd_case *c, enum sd_cause cause)
{
	for (size_t i = 0; i < c->said.n; i++) {
		const struct sd_statement *const s = &c->said.row[i];

		if (s->cause == cause && s->at_least.status != SD_STATUS_OK &&
			s->at_most.status == SD_STATUS_OK && s->at_most.high <= 0 &&
			!s->disturbed_by)
			return 1;
	}
	return 0;
}

static int is_of(const struct sd_case *c, const struct sd_statement *s, enum sd_cause cause)
{
	return s->cause == cause &&
	       (s->sees.mechanism & c->mechanism[cause]) == c->mechanism[cause];
}

/* Does a statement bound the cause from below at the gate or above, with an amount if `sized`? */
static int is_spoken(const struct sd_case *c, enum sd_cause cause, int sized)
{
	const double gate = SD_CASE_GATE * c->loss->n;
	int spoken = 0;

	for (size_t i = 0; i < c->said.n; i++) {
		const struct sd_statement *const s = &c->said.row[i];

		if (is_of(c, s, cause) && s->at_most.status == SD_STATUS_OK &&
			s->at_most.high < gate)
			return 0;
		spoken |= s->cause == cause && s->at_least.status == SD_STATUS_OK &&
			  s->at_least.value >= gate && !(sized && s->unsized);
	}
	return spoken;
}

int sd_stated_speaks(const struct sd_case *c, enum sd_cause cause)
{
	return is_spoken(c, cause, 0);
}

int sd_stated_sized(const struct sd_case *c, enum sd_cause cause)
{
	return is_spoken(c, cause, 1);
}

void sd_stated_doubt(struct sd_case *c, enum sd_cause cause)
{
	c->contradicted |= 1ul << cause;
	for (size_t i = 0; i < c->said.n; i++) {
		struct sd_statement *const s = &c->said.row[i];

		if (s->cause == cause && s->kind != SD_STATEMENT_INTERVENTION)
			s->at_least.low = fmin(0, s->at_least.low);
	}
}

void sd_stated_say(
	struct sd_case *c, struct sd_finding *f, const struct sd_interval *cores, const char *what)
{
	const struct sd_interval v = sd_statistics_widen_part(*cores, c->loss->runs, c->loss->n);
	char range[48] = "of one run";

	if (isfinite(v.high - v.low))
		snprintf(range, sizeof range, "95 %%: %.2f to %.2f", v.low, v.high);
	sd_case_say(c, f, "%.2f of %u cores (%s) more than at %u core%s %s", cores->value,
		c->last->n, range, c->ref->cores, c->ref->cores == 1 ? "" : "s", what);
}

void sd_stated_keep(struct sd_case *c, const struct sd_statement *s)
{
	c->rc |= sd_statements_add(&c->said, s);
}

void sd_case_is_what(struct sd_case *c, struct sd_finding *f)
{
	if (f->what || !f->evidence.n)
		return;
	f->what = strdup(f->evidence.text[f->evidence.n - 1]);
	c->rc |= f->what ? 0 : -ENOMEM;
}
