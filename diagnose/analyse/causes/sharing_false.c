/*
 * False sharing: threads write different bytes of one line, which goes from core to core.
 */
#include "case/cause_weights.h"
#include "case/stated.h"
#include "causes/sharing.h"
#include "causes/taken_words.h"
#include "evidence/evidence_os.h"

/* Locks of one line that nobody waits for look like spinning. */
static unsigned long locks_of_one_line(const struct sd_case *c)
{
	const double taken = sd_taken_words_false(c);

	return taken > 0 && taken >= sd_cause_weights_sum(c->loss->added, SD_BIT(LOCK)) / 2
		       ? SD_BIT(LOCK)
		       : 0;
}

static unsigned long may_be_locks(const struct sd_case *c)
{
	return sd_taken_words_false(c) > 0 ? SD_BIT(LOCK) : 0;
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	sd_sharing_growth(c, f, locks_of_one_line(c));
}

static void state_simulated(struct sd_case *c, struct sd_finding *f)
{
	sd_sharing_simulated(c, f, locks_of_one_line(c));
}

/* Says how the runs' outputs differ and their times scatter, which bounds nothing. */
static void say_runs(struct sd_case *c, struct sd_finding *f)
{
	if (!sd_stated_speaks(c, SD_CAUSE_FALSE_SHARING))
		return;
	sd_evidence_unsteady(c, f);
	if (sd_evidence_output_falsified(c, f))
		c->contradicted |= 1ul << SD_CAUSE_FALSE_SHARING;
}

static sd_cause_row_state *const states[] = {
	sd_sharing_counted, state_growth, state_simulated, say_runs, NULL};

const struct sd_cause_row sd_cause_row_FALSE_SHARING = {
	.components = SD_SHARING_COMPONENTS,
	.also = may_be_locks,
	.mechanism = SD_SHARING_MECHANISM,
	.hides = 1,
	.state = states,
	.finds = " # names the lines",
	.next = "perf c2c record PROGRAM # on a machine with a PMU",
	.advice = {"keep what different threads write 128 bytes apart; collect in locals "
		   "and write once"},
};
