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

static int is_open(const struct sd_apply_verdict *b, enum sd_cause cause)
{
	return sd_apply_verdict_finding(b, cause)->verdict == SD_VERDICT_POSSIBLE;
}

int sd_apply_verdict_named(const struct sd_apply_verdict *b, enum sd_cause cause)
{
	return is_open(b, cause) ||
	       sd_apply_verdict_finding(b, cause)->verdict == SD_VERDICT_LIKELY;
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

void sd_apply_verdict_exclude(struct sd_finding *f)
{
	if (f->verdict == SD_VERDICT_LIKELY) {
		f->verdict = SD_VERDICT_POSSIBLE;
		return;
	}
	f->verdict = SD_VERDICT_RULED_OUT;
	f->cores = f->share = f->worth = SD_APPLY_VERDICT_ABSENT;
}

static double clamp(double v, double most)
{
	return fmin(fmax(v, 0), most);
}

void sd_apply_verdict_give(struct sd_apply_verdict *b, enum sd_cause cause, enum sd_verdict verdict,
	struct sd_interval v)
{
	struct sd_finding *f = sd_apply_verdict_finding(b, cause);
	const double n = b->c->loss->n, most = 1 - 1e-9;

	v = (struct sd_interval){
		clamp(v.value, most), clamp(v.low, most), clamp(v.high, most), SD_STATUS_OK};
	f->verdict = verdict;
	f->share = v;
	f->cores = (struct sd_interval){v.value * n, v.low * n, v.high * n, SD_STATUS_OK};
	f->worth = (struct sd_interval){
		1 / (1 - v.value), 1 / (1 - v.low), 1 / (1 - v.high), SD_STATUS_OK};
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

void sd_apply_verdict_grow(struct sd_apply_verdict *b, enum sd_cause cause, enum sd_verdict verdict,
	struct sd_interval v)
{
	/* measured by other means already, and not in the growth */
	if (sd_apply_verdict_has(sd_apply_verdict_finding(b, cause)->share)) {
		if (v.value >= sd_apply_verdict_finding(b, cause)->share.value / 2)
			sd_apply_verdict_give(
				b, cause, verdict, sd_apply_verdict_finding(b, cause)->share);
		return;
	}
	if (v.value > b->growth.value)
		v = b->growth;
	sd_apply_verdict_give(b, cause, verdict, v);
	/* where two may share it, neither leaves nothing to others */
	if (verdict == SD_VERDICT_CONFIRMED)
		sd_apply_verdict_tell(b, cause, v);
	else if (verdict == SD_VERDICT_LIKELY && v.value >= b->growth.value / 2)
		b->c->a->growth = &sd_cause_info[cause];
}

struct sd_interval sd_apply_verdict_cores(const struct sd_apply_verdict *b, struct sd_interval v)
{
	const double n = b->c->loss->n;

	return (struct sd_interval){v.value * n, v.low * n, v.high * n, v.status};
}

void sd_apply_verdict_state(struct sd_apply_verdict *b, enum sd_cause cause, const char *id,
	struct sd_interval at_least, struct sd_interval at_most)
{
	const struct sd_statement s = {.cause = cause,
		.kind = SD_STATEMENT_INTERVENTION,
		.at_least = at_least,
		.at_most = at_most,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = SD_DISTURBANCE_BIT(OTHERS_APART),
		.id = id};

	sd_stated_keep(b->c, &s);
}

void sd_apply_verdict_observe(
	struct sd_apply_verdict *b, enum sd_cause cause, const char *id, struct sd_interval share)
{
	const struct sd_interval v = sd_apply_verdict_cores(b, share);
	const struct sd_statement s = {.cause = cause,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = v,
		.at_most = v,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = SD_DISTURBANCE_BIT(OTHERS_APART),
		.id = id};

	sd_stated_keep(b->c, &s);
}

size_t sd_apply_verdict_index(const struct sd_apply_verdict *b, const struct sd_tested *t)
{
	return (size_t)(t - b->c->a->tested);
}
