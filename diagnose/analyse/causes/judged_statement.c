#include "causes/judged_statement.h"

#include <math.h>

#include "case/cause_weights.h"
#include "case/rule.h"
#include "case/stated.h"

/* The interval of what a finding holds, of which its at_most may be no less than the gate. */
static struct sd_interval most_of(struct sd_interval v, double least)
{
	return (struct sd_interval){v.value, v.low, fmax(v.high, least), SD_STATUS_OK};
}

/* The old judge names all cores that wait, the ledger those that were added: without what was the
 * same share at the reference. */
static struct sd_interval added(const struct sd_case *c, const struct sd_finding *f)
{
	const unsigned long set = sd_cause_weights_carriers(c, &c->rules[f->cause]);
	const double own = fmax(0, sd_cause_weights_sum(c->loss->stack, set) -
					   sd_cause_weights_sum(c->loss->added, set));
	struct sd_interval v = f->cores;

	v.value -= own;
	v.low -= own;
	v.high -= own;
	return v;
}

static void put_possible(struct sd_interval cores, int direct, double gate, struct sd_statement *s)
{
	if (cores.status == SD_STATUS_OK) {
		const double v = cores.value > 0 ? cores.value : cores.high / 2;

		s->at_least = (struct sd_interval){v, 0, cores.high, SD_STATUS_OK};
		if (direct)
			s->at_most = most_of(cores, gate);
	} else { /* something speaks for it, and nobody knows how much */
		s->at_least = (struct sd_interval){gate, 0, gate, SD_STATUS_OK};
	}
}

void sd_judged_statement_make(struct sd_case *c, const struct sd_finding *f)
{
	const int direct = sd_cause_weights_direct(c, &c->rules[f->cause]);
	const double gate = SD_CASE_GATE * c->loss->n;
	const unsigned long set = sd_cause_weights_carriers(c, &c->rules[f->cause]);
	const struct sd_interval cores = added(c, f), all = sd_stated_added(c, set);
	struct sd_statement s = {.cause = f->cause,
		.kind = SD_STATEMENT_OBSERVATION,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, set),
		.id = "judged"};

	/* an amount that was counted; what rules out a cause that was counted sees the addresses */
	if ((f->verdict == SD_VERDICT_LIKELY || f->verdict == SD_VERDICT_POSSIBLE) &&
		sd_cause_weights_owned(c, &c->rules[f->cause]))
		s.sees.mechanism &= ~c->blind[f->cause];
	switch (f->verdict) {
	case SD_VERDICT_CONFIRMED:
		s.kind = SD_STATEMENT_INTERVENTION;
		s.at_least = s.at_most = cores;
		break;
	case SD_VERDICT_LIKELY:
		s.at_least = cores;
		if (cores.status != SD_STATUS_OK) /* as much as matters, and nobody says how much */
			s.at_least = (struct sd_interval){gate, gate, gate, SD_STATUS_OK};
		if (direct)
			s.at_most = cores;
		break;
	case SD_VERDICT_POSSIBLE:
		put_possible(cores, direct, gate, &s);
		break;
	case SD_VERDICT_RULED_OUT:
		/* by its amount; or by a fact or an experiment */
		s.at_most = (struct sd_interval){0, 0, 0, SD_STATUS_OK};
		if (all.status == SD_STATUS_OK && all.high < gate)
			s.at_most = all;
		else
			s.disturbed_by = 0;
		break;
	default:
		return;
	}
	if (c->no_loss) /* nor is any part of it sure */
		s.at_least.low = fmin(0, s.at_least.low);
	sd_stated_keep(c, &s);
}
