#include "causes/judge_lock_lines.h"

#include "simulated/simulated_costs.h"
#include "case/finding.h"

int sd_judge_lock_lines_judge(struct sd_case *c, const struct sd_rule *r, struct sd_finding *f,
	struct sd_interval waits, enum sd_verdict *verdict)
{
	const struct sd_interval v = c->spread->locking;
	const double n = c->loss->n, of_false = sd_simulated_costs_false(c);
	struct sd_interval s = {f->share.value + v.value / n, f->share.low + v.low / n,
		f->share.high + v.high / n, v.status};

	if (!r->what_words || !c->spread->now || v.status != SD_STATUS_OK || c->fixed_time ||
		c->scales || !c->lost || v.low <= 0 || v.value < SD_CASE_GATE * n ||
		v.value < waits.value * n || of_false > .5)
		return 0;
	f->share = s;
	f->cores = (struct sd_interval){s.value * n, s.low * n, s.high * n, s.status};
	f->worth = sd_finding_worth(s);
	sd_case_say(c, f, "%.2f of %u cores (95 %%: %.2f to %.2f) %s", v.value, c->last->n, v.low,
		v.high, r->what_words);
	if (r->evidence)
		r->evidence(c, f);
	if (of_false < 0)
		sd_case_say(c, f,
			"threads that take different locks of one line would look the same (%s): "
			"it needs the addresses",
			sd_cause_info[SD_CAUSE_FALSE_SHARING].label);
	else
		sd_case_say(c, f,
			"simulated: %.0f %% of the moves of modified lines are of lines in which "
			"threads write the same bytes",
			100 * (1 - of_false));
	*verdict = SD_VERDICT_POSSIBLE;
	if (of_false >= 0 && s.low >= SD_CASE_GATE) {
		*verdict = SD_VERDICT_LIKELY;
		c->explained += v.value;
	}
	return 1;
}

int sd_judge_lock_lines_has(struct sd_case *c, enum sd_cause cause, struct sd_finding *f)
{
	const struct sd_interval v = c->spread->locking;

	if (cause != SD_CAUSE_TRUE_SHARING || v.status != SD_STATUS_OK ||
		!(v.value > .5 * f->cores.value))
		return 0;
	sd_case_say(c, f,
		"%.2f cores of the growth are in functions that take and release locks: "
		"see %s",
		v.value, sd_cause_info[SD_CAUSE_LOCK_CONTENTION].label);
	c->contradicted |= 1ul << cause;
	return 1;
}
