/*
 * The cgroup's CPU quota stops the program.
 */
#include "case/stated.h"
#include "causes/cause_row.h"
#include "evidence/evidence_os.h"

/* No quota is set: however many runs. */
static void state_none_set(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = sd_stated_fact(SD_CAUSE_CPU_QUOTA, "quota-none-set");

	if (sd_evidence_quota_excluded(c, f))
		sd_stated_keep(c, &s);
}

static void state_throttled(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s =
		sd_stated_components(c, SD_CAUSE_CPU_QUOTA, "quota-throttled", SD_BIT(THROTTLED));

	if (f->evidence.n > 0) /* said that there is none */
		return;
	if (c->a->n_point < 2 || !sd_status_bounded(s.at_least)) {
		sd_case_say(c, f, "%s",
			c->a->n_point < 2 ? "needs runs at two core counts or more"
			: c->no_loss      ? c->a->no_verdict
					  : "needs the cgroup's throttling counters, and this "
					    "record has none");
		return;
	}
	sd_stated_keep(c, &s);
	sd_stated_say(c, f, &s.at_least, "are throttled by the cgroup's CPU quota");
	sd_evidence_quota(c, f);
}

static sd_cause_row_state *const states[] = {state_none_set, state_throttled, NULL};

const struct sd_cause_row sd_cause_row_CPU_QUOTA = {
	.components = SD_BIT(THROTTLED),
	.of_others = 1,
	.state = states,
	.next = "raise the quota (cpu.max), or use no more threads than it grants",
	.advice = {"use as many threads as the quota grants CPUs"},
};
