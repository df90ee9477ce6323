/*
 * Kernel time: threads fault in pages, map memory, or call the kernel for something else.
 */
#include <math.h>

#include "accounting/parts_by_stack.h"
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/idle_waits.h"
#include "evidence/evidence_os.h"
#include "evidence/stack_shares.h"

#define IN_KERNEL (SD_PARTS_BY_STACK_BIT(SYSTEM) | SD_PARTS_BY_STACK_BIT(KERNEL))

/* Why nothing is known; NULL: it is. */
static const char *unknown(const struct sd_case *c, const struct sd_interval *v)
{
	const unsigned needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_SPLIT;

	if (c->a->n_point < 2)
		return "needs runs at two core counts or more";
	if ((c->loss->known_ref & c->loss->known & needs) != needs)
		return "needs user and system time apart, and this record does not have them";
	return sd_status_bounded(*v) ? NULL : c->a->no_verdict;
}

static unsigned long followed(const struct sd_case *c)
{
	return sd_stack_shares_serial(c) > 0 ? SD_BIT(SERIAL) : 0;
}

/* Adds the cores that wait while one thread is in the kernel: they follow from its time there. */
static void add_followers(struct sd_case *c, struct sd_finding *f, struct sd_statement *s)
{
	const struct sd_interval waits =
		sd_idle_waits_part(sd_stated_added(c, SD_BIT(SERIAL)), sd_stack_shares_serial(c));
	struct sd_interval *const bound[] = {&s->at_least, &s->at_most};

	if (!followed(c) || !sd_status_bounded(waits))
		return;
	for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
		bound[i]->value += waits.value;
		bound[i]->low += waits.low;
		bound[i]->high += waits.high;
	}
	sd_stated_say(c, f, &waits, "wait while one thread is in the kernel for that");
}

/* States system time. Time below malloc, or where a runtime hands out tasks, is another cause's;
 * time that is not for memory counts as kernel time, but its advice is not sure to help. */
static void state_system(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = sd_stated_components(
		c, SD_CAUSE_KERNEL_MEMORY, "kernel-system-time", SD_BIT(SYSTEM));
	const char *const why = unknown(c, &s.at_most);

	if (why) {
		sd_case_say(c, f, "%s", why);
		return;
	}
	sd_stated_say(c, f, &s.at_most, "go to the kernel");
	sd_evidence_kernel(c, f);
	s.at_least = sd_idle_waits_part(s.at_least, sd_idle_waits_own(c, f, IN_KERNEL));
	add_followers(c, f, &s);
	if (sd_idle_waits_of_calls(c)) {
		sd_case_say(c, f,
			"threads wait for locks, and no samples in the kernel tell what the calls of "
			"locks are of it: see %s",
			sd_cause_info[SD_CAUSE_LOCK_CONTENTION].label);
		s.at_least.low = fmin(s.at_least.low, 0);
	}
	if (sd_evidence_kernel_falsified(c, f)) {
		s.at_least.low = fmin(0, s.at_least.low);
		c->contradicted |= 1ul << SD_CAUSE_KERNEL_MEMORY;
	}
	sd_stated_keep(c, &s);
}

static sd_cause_row_state *const states[] = {state_system, NULL};

const struct sd_cause_row sd_cause_row_KERNEL_MEMORY = {
	.components = SD_BIT(SYSTEM) | SD_BIT(LOCK),
	.also = followed,
	.mechanism = SD_SEES_KERNEL_CODE,
	.state = states,
	.next = "perf record -a -g -e cpu-clock PROGRAM # which kernel code",
	.advice = {"see which system calls or page faults these are (strace -c -f), and make "
		   "fewer"},
};
