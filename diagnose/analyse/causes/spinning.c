/*
 * Spinning: threads that wait run in a loop, and use a core for nothing.
 */
#include <math.h>

#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "evidence/cause_places.h"
#include "evidence/evidence_counts.h"

#define OWN SD_BIT(SPINNING)
#define HIDDEN (SD_BIT(GROWTH) | SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER))

static int is_told(const struct sd_case *c)
{
	return (c->loss->components & OWN) != 0;
}

/* Says that a program of small tasks spins for its tasks, and leaves the cost to the barriers. */
static void say_tasks(struct sd_case *c, struct sd_finding *f)
{
	if (!sd_cause_places_is_tasking(c))
		return;
	sd_case_say(c, f, "the threads wait for tasks, which are small: see %s",
		sd_cause_info[SD_CAUSE_BARRIER_OVERHEAD].label);
	c->contradicted |= 1ul << SD_CAUSE_SPINNING;
}

/* Samples of wait loops, or counted pauses, tell it apart. */
static void state_told(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = sd_stated_components(c, SD_CAUSE_SPINNING, "spinning-told", OWN);
	const char *const why = sd_grown_time_unknown(c, &s.at_most);

	if (!is_told(c))
		return;
	if (why) {
		sd_case_say(c, f, "%s", why);
		return;
	}
	sd_stated_say(c, f, &s.at_least, "go to waiting in loops");
	if (c->model->row)
		sd_evidence_counts_spin(c, f);
	say_tasks(c, f);
	if (sd_grown_time_is_unsure(c, SD_CAUSE_SPINNING))
		s.at_least.low = fmin(0, s.at_least.low);
	sd_stated_keep(c, &s);
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	if (is_told(c))
		return;
	sd_grown_time_state(c, f, "spinning-growth", HIDDEN, 0,
		"go to user time, where waiting in a loop would count");
	if (c->model->row && sd_stated_speaks(c, SD_CAUSE_SPINNING))
		sd_evidence_counts_spin(c, f);
}

static sd_cause_row_state *const states[] = {state_told, state_growth, NULL};

const struct sd_cause_row sd_cause_row_SPINNING = {
	.components = HIDDEN | OWN,
	.mechanism = SD_SEES_USER_CODE,
	.hides = 1,
	.state = states,
	.finds = " # less CPU time means waiting in loops",
	.advice = {"let threads that wait for long sleep"},
};
