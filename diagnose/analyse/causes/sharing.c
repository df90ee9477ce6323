#include "causes/sharing.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "case/stated.h"
#include "causes/grown_time.h"
#include "causes/sampled_lines.h"
#include "causes/simulated_growth.h"
#include "evidence/cause_places.h"
#include "evidence/evidence_counts.h"
#include "native/native_causes.h"
#include "simulated/line_words.h"

#define WHAT "go to slower user code"

static int is_counted(const struct sd_case *c)
{
	const struct sd_interval v = sd_stated_added(c, SD_SHARING_OWN);

	return c->model->row && v.status == SD_STATUS_OK && !sd_grown_time_unknown(c, &v);
}

void sd_sharing_growth(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	if (sd_native_causes_sharing(c, f, SD_SHARING_COMPONENTS | components))
		return;
	sd_grown_time_state(
		c, f, "sharing-growth", SD_SHARING_COMPONENTS | components, SD_SHARING_OWN, WHAT);
	if (!is_counted(c) && c->model->row && sd_stated_speaks(c, f->cause))
		sd_evidence_counts_sharing(c, f);
}

/* Is most of the growth in malloc and the like? It is then the allocator's words that move. */
static int is_allocators(struct sd_case *c, struct sd_finding *f)
{
	const double share = sd_cause_places_allocating(c, SD_PARTS_BY_STACK_BIT(USER));

	if (!(share > .5))
		return 0;
	sd_case_say(c, f, "%.0f %% of the growth is in malloc, free and their like: see %s",
		100 * fmin(share, 1), sd_cause_info[SD_CAUSE_ALLOCATOR].label);
	return 1;
}

/* Is most of the cost where locks are taken, held and released? The moved words are then the locks'
 * own, or written under them. */
static int is_locks(struct sd_case *c, struct sd_finding *f, double cores)
{
	const struct sd_interval v = c->spread->locking;

	if (f->cause != SD_CAUSE_TRUE_SHARING || v.status != SD_STATUS_OK ||
		!(v.value > .5 * cores))
		return 0;
	sd_case_say(c, f,
		"%.2f cores of the growth are in functions that take, hold and release locks: see "
		"%s",
		v.value, sd_cause_info[SD_CAUSE_LOCK_CONTENTION].label);
	return 1;
}

static int against(struct sd_case *c, struct sd_finding *f, double cores)
{
	return is_allocators(c, f) || is_locks(c, f, cores);
}

/* ---- what was counted ------------------------------------------------------------------------ */

/* The statement on both kinds together, by counts of lines that other cores had. */
static struct sd_statement both(const struct sd_case *c, enum sd_cause cause, const char *id)
{
	struct sd_statement s = sd_stated_components(c, cause, id, SD_SHARING_OWN);

	s.sees.mechanism &= ~c->blind[cause];
	return s;
}

/* States this share of the counted cost. Where hardly any counted move is of this kind, the moves
 * that nobody counted are not either. */
static void state_share(
	struct sd_case *c, enum sd_cause cause, const char *id, struct sd_interval share)
{
	struct sd_statement s = both(c, cause, id);

	s.at_least.value *= share.value;
	s.at_least.low = sd_grown_time_is_unsure(c, cause) ? fmin(0, s.at_least.low)
							   : s.at_least.low * share.low;
	s.at_least.high *= share.high;
	s.at_most = s.at_least;
	if (share.high < SD_CASE_GATE)
		s.sees = SD_SEES_WHOLE;
	sd_stated_keep(c, &s);
}

/* Lines that the CPU itself sampled say which kind it is. */
static int state_sampled(struct sd_case *c, struct sd_finding *f)
{
	struct sd_interval share;

	if (!sd_sampled_lines_share(c, f, &share))
		return 0;
	state_share(c, f->cause, "sharing-sampled", share);
	return 1;
}

/* So do simulated ones. */
static int state_divided(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_interval v = sd_stated_added(c, SD_SHARING_OWN);
	struct sd_cost_model m;
	const char *but;
	double mine;

	if (!sd_cost_model_make(c, SD_SHARING_OWN & c->loss->components, &m) || !(m.after.hitm > 0))
		return 0;
	mine = (f->cause == SD_CAUSE_FALSE_SHARING ? m.after.hitm_false
						   : sd_simulated_costs_true(&m.after)) /
	       m.after.hitm;
	but = sd_simulated_growth_reservation(&m, c->record);
	sd_simulated_evidence_say(c, f, &m, f->cause);
	sd_simulated_growth_say_part(c, f, &m, but);
	if (mine < SD_CASE_GATE)
		sd_case_say(c, f, "%.1f %% of the simulated moves", 100 * mine);
	else if (against(c, f, v.value * mine))
		c->contradicted |= 1ul << f->cause;
	state_share(c, f->cause, "sharing-divided",
		(struct sd_interval){mine, but ? 0 : mine, but ? 1 : mine, SD_STATUS_OK});
	return 1;
}

/* How much it is together; of the one kind none of it is sure, unless addresses say so. */
static void state_both(struct sd_case *c, struct sd_finding *f, int is_divided)
{
	struct sd_statement s = both(c, f->cause, "sharing-counted");

	s.at_least.low = fmin(0, s.at_least.low);
	if (is_divided) {
		s.at_least = s.at_most.value < SD_CASE_GATE * c->loss->n ? SD_STATEMENT_OPEN
									 : sd_stated_unsized(c);
		s.unsized = 1;
	}
	sd_stated_keep(c, &s);
	if (!is_divided && sd_stated_speaks(c, f->cause))
		sd_case_say(c, f,
			"whether the threads write the same bytes of the line or only the same "
			"line, counts cannot say: it needs the addresses");
}

void sd_sharing_counted(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_interval v = sd_stated_added(c, SD_SHARING_OWN);
	int is_divided = 0;

	sd_grown_time_dispatched(c, f);
	if (!sd_grown_time_is_counted(c, f, SD_SHARING_OWN))
		return;
	sd_stated_say(c, f, &v, WHAT);
	sd_evidence_counts_sharing(c, f);
	if (v.high >= SD_CASE_GATE * c->loss->n) {
		is_divided = state_sampled(c, f);
		is_divided |= state_divided(c, f);
	}
	state_both(c, f, is_divided);
}

/* ---- what was simulated ---------------------------------------------------------------------- */

/* Its lines, and the code that waits for them. */
static void put_lines(struct sd_case *c, struct sd_finding *f)
{
	struct sd_simulated_costs_counts after;

	sd_simulated_costs_counts(c->record, c->last->plan, &after);
	if (!after.simulated || !sd_stated_speaks(c, f->cause))
		return;
	if (after.hitm > 0 && !f->next &&
		!(f->next = strdup(
			  "scalediag lines RECORD # the lines byte by byte, and what to do about each")))
		c->rc = -ENOMEM;
	if (!f->where)
		c->rc |= sd_line_words_wheres(c->record, after.simulated, f);
}

void sd_sharing_simulated(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	if (!is_counted(c) || c->blind[f->cause])
		sd_simulated_growth_state(
			c, f, SD_SHARING_COMPONENTS | components, is_counted(c) ? NULL : against);
	put_lines(c, f);
}
