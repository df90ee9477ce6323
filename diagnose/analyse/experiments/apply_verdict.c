#include "experiments/apply_verdict.h"

#include <math.h>

#include "case/stated.h"

int sd_apply_verdict_has(struct sd_interval v)
{
	return v.status == SD_STATUS_OK;
}

struct sd_finding *sd_apply_verdict_finding(const struct sd_apply_verdict *b, enum sd_cause cause)
{
	return &b->c->a->finding[cause];
}

int sd_apply_verdict_named(const struct sd_apply_verdict *b, enum sd_cause cause)
{
	return sd_stated_speaks(b->c, cause);
}

struct sd_interval sd_apply_verdict_less(struct sd_interval a, struct sd_interval b)
{
	const double v = a.value - b.value;

	return (struct sd_interval){v, v - hypot(a.value - a.low, b.high - b.value),
		v + hypot(a.high - a.value, b.value - b.low), SD_STATUS_OK};
}

struct sd_interval sd_apply_verdict_rest(struct sd_interval v)
{
	return (struct sd_interval){1 - v.value, 1 - v.high, 1 - v.low, v.status};
}

struct sd_interval sd_apply_verdict_inverse(struct sd_interval v)
{
	return (struct sd_interval){1 / v.value, 1 / v.high, 1 / v.low, v.status};
}

struct sd_interval sd_apply_verdict_gain(
	const struct sd_apply_verdict *b, struct sd_interval last, struct sd_interval ref)
{
	const struct sd_interval one = {1, 1, 1, SD_STATUS_OK},
				 r = sd_apply_verdict_has(ref) ? ref : one;
	const double e = b->efficiency.value, v = r.value / last.value;
	const double up = hypot((last.value - last.low) / last.value, (r.high - r.value) / r.value);
	const double down =
		hypot((last.high - last.value) / last.value, (r.value - r.low) / r.value);

	return (struct sd_interval){
		e * (v - 1), e * (v * (1 - down) - 1), e * (v * (1 + up) - 1), SD_STATUS_OK};
}

struct sd_interval sd_apply_verdict_efficiency(
	const struct sd_apply_verdict *b, const struct sd_tested *t)
{
	const struct sd_value *const s = b->c->a->state_speedup;
	const struct sd_interval e = b->efficiency;
	double times;

	if (!t->elsewhere)
		return e;
	if (!sd_has(s[0]) || !sd_has(s[1]))
		return SD_APPLY_VERDICT_ABSENT;
	times = s[t->elsewhere - 1].value / s[2 - t->elsewhere].value;
	return (struct sd_interval){e.value * times, e.low * times, e.high * times, e.status};
}

int sd_apply_verdict_clearly(struct sd_interval v)
{
	return sd_apply_verdict_has(v) && v.low >= SD_CASE_GATE;
}

int sd_apply_verdict_hardly(const struct sd_apply_verdict *b, struct sd_interval v)
{
	/* what others kept apart met as much less; copies want their CPUs all the time */
	const double times = sd_disturbance_apart(sd_disturbance_had(&b->c->facts));

	return sd_apply_verdict_has(v) && fmax(0, v.high) * times < SD_CASE_GATE;
}

int sd_apply_verdict_none(struct sd_interval ratio)
{
	const int excluded = ratio.low > 1 || ratio.high < 1;

	return sd_apply_verdict_has(ratio) && !(excluded && fabs(ratio.value - 1) >= SD_CASE_GATE);
}

void sd_apply_verdict_tell(struct sd_apply_verdict *b, enum sd_cause cause, struct sd_interval v)
{
	const double error = hypot((b->told.high - b->told.low) / 2, (v.high - v.low) / 2);

	if (v.value > b->growth.value)
		v = b->growth;
	b->told.value += v.value;
	b->told.low = b->told.value - error;
	b->told.high = b->told.value + error;
	if (v.value >= b->growth.value / 2)
		b->c->a->growth = &sd_cause_info[cause];
}

struct sd_interval sd_apply_verdict_cores(const struct sd_apply_verdict *b, struct sd_interval v)
{
	const double n = b->c->loss->n;

	return (struct sd_interval){v.value * n, v.low * n, v.high * n, v.status};
}

static void keep(struct sd_apply_verdict *b, enum sd_statement_kind kind, enum sd_cause cause,
	const char *id, struct sd_interval at_least, struct sd_interval at_most)
{
	const struct sd_statement s = {.cause = cause,
		.kind = kind,
		.at_least = at_least,
		.at_most = at_most,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = SD_DISTURBANCE_BIT(OTHERS_APART),
		.id = id};

	sd_stated_keep(b->c, &s);
}

void sd_apply_verdict_state(struct sd_apply_verdict *b, enum sd_cause cause, const char *id,
	struct sd_interval at_least, struct sd_interval at_most)
{
	keep(b, SD_STATEMENT_INTERVENTION, cause, id, at_least, at_most);
}

void sd_apply_verdict_observe(struct sd_apply_verdict *b, enum sd_cause cause, const char *id,
	struct sd_interval at_least, struct sd_interval at_most)
{
	keep(b, SD_STATEMENT_OBSERVATION, cause, id, at_least, at_most);
}

/* Never more than it can be in. */
static struct sd_interval within(struct sd_interval v, struct sd_interval room)
{
	return room.status == SD_STATUS_OK && v.value > room.value ? room : v;
}

void sd_apply_verdict_grown(struct sd_apply_verdict *b, enum sd_cause cause, const char *id,
	enum sd_statement_kind kind, unsigned long own, struct sd_interval v)
{
	const int counted = (own & b->c->loss->components) != 0;
	const struct sd_interval cores =
		within(sd_apply_verdict_cores(b, v), sd_stated_added(b->c, SD_CASE_GROWTH | own));

	if (kind == SD_STATEMENT_INTERVENTION)
		sd_apply_verdict_state(b, cause, id, cores, SD_STATEMENT_OPEN);
	else
		sd_apply_verdict_observe(b, cause, id, cores, SD_STATEMENT_OPEN);
	/* where two may share it, neither leaves nothing to others; and what was told apart before
	 * is not in the growth */
	if (counted)
		return;
	if (kind == SD_STATEMENT_INTERVENTION)
		sd_apply_verdict_tell(b, cause, v);
	else if (v.low >= SD_CASE_GATE && v.value >= b->growth.value / 2)
		b->c->a->growth = &sd_cause_info[cause];
}

size_t sd_apply_verdict_index(const struct sd_apply_verdict *b, const struct sd_tested *t)
{
	return (size_t)(t - b->c->a->tested);
}
