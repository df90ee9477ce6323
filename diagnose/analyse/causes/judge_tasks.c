#include "causes/judge_tasks.h"

#include "evidence/cause_places.h"
#include "case/finding.h"

int sd_judge_tasks_judge(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, enum sd_verdict *verdict)
{
	const struct sd_interval v = c->spread->dispatch;
	const double n = c->loss->n;

	if (!r->what_tasks || !sd_cause_places_is_tasking(c))
		return 0;
	f->cores = v;
	f->share = (struct sd_interval){v.value / n, v.low / n, v.high / n, v.status};
	f->worth = sd_finding_worth(f->share);
	sd_case_say(c, f, "%.2f of %u cores (95 %%: %.2f to %.2f) %s", v.value, c->last->n, v.low,
		v.high, r->what_tasks);
	sd_case_say(c, f,
		"%.2f of them in the runtime's own code that makes tasks and hands them out, below no task",
		c->spread->tasking.value);
	if (r->evidence)
		r->evidence(c, f);
	*verdict = SD_VERDICT_POSSIBLE;
	if (f->share.low >= SD_CASE_GATE && c->a->scales == SD_SCALES_NO)
		*verdict = SD_VERDICT_LIKELY;
	for (size_t i = 0; i < c->spread->places.n_spot; i++)
		if (c->spread->places.spot[i].tasks)
			c->explained += SD_LOSS_BY_STACK(c->spread, i, SD_PART_USER);
	return 1;
}

void sd_judge_tasks_settle(struct sd_case *c)
{
	static const enum sd_cause other[] = {SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING,
		SD_CAUSE_EXTRA_WORK, SD_CAUSE_LOCK_CONTENTION, SD_CAUSE_SERIAL_CODE,
		SD_CAUSE_LOAD_IMBALANCE, SD_CAUSE_KERNEL_MEMORY, SD_CAUSE_ALLOCATOR,
		SD_CAUSE_SPINNING};
	const char *const see = sd_cause_info[SD_CAUSE_BARRIER_OVERHEAD].label;

	if (c->a->finding[SD_CAUSE_BARRIER_OVERHEAD].verdict > SD_VERDICT_LIKELY ||
		!sd_cause_places_is_tasking(c))
		return;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		struct sd_finding *const f = &c->a->finding[other[i]];
		/* those that spin wait for tasks, wherever they do */
		const int waits = f->cause == SD_CAUSE_SPINNING;
		const double in = waits ? 1 : sd_cause_places_tasking(c, f->cause);

		if ((f->verdict != SD_VERDICT_LIKELY && f->verdict != SD_VERDICT_POSSIBLE) ||
			in <= .5)
			continue;
		if (waits)
			sd_case_say(
				c, f, "the threads wait for tasks, which are small: see %s", see);
		else
			sd_case_say(c, f,
				"%.0f %% of it is where a runtime makes tasks and hands them out: "
				"see %s",
				100 * (in < 1 ? in : 1), see);
		f->verdict = SD_VERDICT_POSSIBLE;
		c->contradicted |= 1ul << f->cause;
	}
}
