/*
 * Lock contention: threads wait for locks, and what taking and releasing them costs as their lines
 * go from core to core.
 */
#include <math.h>

#include "analysis/cause_growth.h"
#include "base/statistics.h"
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/idle_law.h"
#include "causes/idle_waits.h"
#include "causes/sharing.h"
#include "causes/taken_words.h"
#include "evidence/evidence_counts.h"
#include "evidence/evidence_os.h"
#include "evidence/moved_lines.h"
#include "native/native_causes.h"
#include "native/native_words.h"
#include "simulated/simulated_costs.h"

#define ALLOCATED                                                         \
	(SD_PARTS_BY_STACK_BIT(LOCK) | SD_PARTS_BY_STACK_BIT(SPIN_LOCK) | \
		SD_PARTS_BY_STACK_BIT(SYSTEM_LOCK))

/* Subtracts from the spinning at a lock's exchange the cores of it that no other thread had: taking
 * a lock waits for its line, where threads write different bytes of that. */
static struct sd_interval without(struct sd_interval v, double cores)
{
	return (struct sd_interval){
		fmax(0, v.value - cores), fmin(v.low, fmax(0, v.low - cores)), v.high, v.status};
}

static const char *false_sharing(void)
{
	return sd_cause_info[sd_cause_growth_writing(SD_CAUSE_BYTES_DIFFERENT)].label;
}

static void say_taken(struct sd_case *c, struct sd_finding *f, double taken)
{
	if (taken >= SD_CASE_GATE * c->loss->n)
		sd_case_say(c, f,
			"%.2f of these cores were at the instruction that takes a lock, and simulated "
			"threads seldom write the same bytes of a line there: taking it waits for the "
			"line, and for no other thread (see %s)",
			taken, false_sharing());
}

/* Thread states see waits in the kernel, not what user code takes longer at a lock's line. */
static void state_waits(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s =
		sd_stated_components(c, SD_CAUSE_LOCK_CONTENTION, "lock-waits", SD_BIT(LOCK));
	const double taken = sd_taken_words_false(c);

	if (!sd_idle_waits_known(c, f, SD_BIT(LOCK)))
		return;
	sd_stated_say(c, f, &s.at_most, "wait for locks");
	s.at_least = sd_idle_waits_part(s.at_least, sd_idle_waits_own(c, f, ALLOCATED));
	s.at_least = without(s.at_least, taken);
	say_taken(c, f, taken);
	s.sees.mechanism = SD_SEES_KERNEL_CODE;
	sd_stated_keep(c, &s);
	sd_evidence_lock(c, f);
	if (c->model->row)
		sd_evidence_counts_locks(c, f);
}

/* Samples see both: the waits, and the growth where locks are taken and released. Whether that is
 * the lock's own line, threads that write the same bytes of it say (the software PMU). */
static void state_lines(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_interval named = c->spread->locking,
				 waits = sd_stated_added(c, SD_BIT(LOCK));
	const double of_false = sd_simulated_costs_false(c);
	struct sd_interval seen = {.status = SD_STATUS_ABSENT};
	const int is_seen = sd_native_causes_locks(c, &seen);
	const struct sd_interval words = is_seen && seen.value > named.value ? seen : named;
	const double sure =
		fmax(of_false < 0 ? 0 : named.low * (1 - of_false), is_seen ? seen.low : 0);
	struct sd_statement s = {.cause = SD_CAUSE_LOCK_CONTENTION,
		.kind = of_false < 0 ? SD_STATEMENT_OBSERVATION : SD_STATEMENT_MODEL,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_BIT(LOCK) | SD_CASE_GROWTH),
		.id = "lock-lines"};

	if (!c->spread->now || words.status != SD_STATUS_OK || !sd_status_bounded(waits) ||
		c->fixed_time)
		return;
	s.at_most = (struct sd_interval){waits.value + words.value, waits.low + words.low,
		fmax(0, waits.high) + fmax(0, words.high), SD_STATUS_OK};
	if (sd_idle_waits_of_calls(c))
		s.sees.mechanism &= ~SD_SEES_KERNEL_CODE;
	if (words.value >= SD_CASE_GATE * c->loss->n) {
		const struct sd_interval shown =
			sd_statistics_widen_part(words, c->loss->runs, c->loss->n);

		s.at_least = s.at_most;
		s.at_least.low = of_false < 0 && !is_seen ? 0 : waits.low + sure;
		sd_case_say(c, f,
			"%.2f of %u cores (95 %%: %.2f to %.2f) are what functions that take, "
			"hold and release locks cost more than on the reference, as each lock's "
			"line and what is written under it go from core to core",
			words.value, c->last->n, shown.low, shown.high);
	}
	sd_stated_keep(c, &s);
	if (words.value < SD_CASE_GATE * c->loss->n)
		return;
	if (is_seen)
		sd_native_words_locks(c, f);
	else if (of_false < 0)
		sd_case_say(c, f,
			"threads that take different locks of one line would look the same (%s): "
			"it needs the addresses",
			false_sharing());
	else
		sd_case_say(c, f,
			"simulated: %.0f %% of the moves of modified lines are of lines in which "
			"threads write the same bytes",
			100 * (1 - of_false));
}

/* Locked accesses that grow with the lines other caches held modified: all that these cost may be
 * the lock's, whose own line moves with what is written under it. */
static void state_locked(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_interval moved = sd_stated_added(c, SD_SHARING_OWN);
	const int sized = sd_status_measured(moved);
	struct sd_statement s = {.cause = SD_CAUSE_LOCK_CONTENTION,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = sized ? sd_stated_unsure(moved) : sd_stated_unsized(c),
		.unsized = !sized,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_CASE_GROWTH | SD_SHARING_OWN),
		.id = "lock-counts"};

	if (!(c->lost || sd_stated_one_run(c)) || c->fixed_time ||
		!(sd_moved_lines_locked(c) > 0) || sd_sharing_has_addresses(c))
		return;
	if (sized ? moved.value < SD_CASE_GATE * c->loss->n : !sd_moved_lines_matter(c))
		return;
	sd_stated_keep(c, &s);
	sd_moved_lines_say_locked(c, f);
}

static sd_cause_row_state *const states[] = {
	state_waits, state_lines, state_locked, sd_idle_law_state, NULL};

const struct sd_cause_row sd_cause_row_LOCK_CONTENTION = {
	.components = SD_BIT(LOCK) | SD_BIT(SYSTEM) | SD_BIT(GROWTH) | SD_BIT(INSTRUCTIONS) |
		      SD_BIT(CPI_SHARING) | SD_BIT(CPI_OTHER) | SD_BIT(SPINNING),
	.mechanism = SD_SEES_USER_CODE | SD_SEES_KERNEL_CODE,
	.state = states,
	.next = "perf record -g -e sched:sched_switch PROGRAM # who holds it; or gdb's "
		"`thread apply all bt` while it runs",
	.advice = {"shorten the critical section: move work out of the lock",
		"split the lock, or give each worker data of its own"},
};
