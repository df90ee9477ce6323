#include "causes/sharing.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/cause_growth.h"
#include "base/statistics.h"
#include "case/case.h"
#include "case/stated.h"
#include "causes/grown_time.h"
#include "causes/simulated_growth.h"
#include "evidence/cause_places.h"
#include "evidence/evidence_counts.h"
#include "evidence/moved_lines.h"
#include "native/native_causes.h"
#include "simulated/line_words.h"
#include "simulated/simulated_costs.h"

/* Fewer samples of moves say nothing: of 5 the true mean is over 1.6 with 95 % (Poisson). */
#define LEAST 5

static const struct sd_memory_sampled *sampled_at(const struct sd_case *c)
{
	const struct sd_memory_sampled *found = NULL;

	for (size_t i = 0; i < c->record->n_run; i++) {
		const struct sd_run *run = &c->record->run[i];

		if (run->point == c->last->plan && run->memory &&
			run->memory->status == SD_STATUS_OK)
			found = run->memory;
	}
	return found;
}

static double counted(const struct sd_case *c, enum sd_role role)
{
	const struct sd_count *const n = &c->after.counts.role[role];

	return sd_has((struct sd_value){n->value, n->status}) && n->value > 0 ? n->value : 0;
}

/* Share of the counted moves that stores waited for, which no CPU samples; < 0: loads and stores
 * were not counted apart. */
static double share_of_stores(const struct sd_case *c)
{
	static const enum sd_role loads[] = {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE},
				  stores[] = {SD_ROLE_HITM_STORE, SD_ROLE_HITM_STORE_REMOTE},
				  both[] = {SD_ROLE_HITM_ANY, SD_ROLE_HITM_ANY_REMOTE};
	double load = 0, store = 0, any = 0;

	for (size_t i = 0; i < 2; i++) {
		load += counted(c, loads[i]);
		store += counted(c, stores[i]);
		any += counted(c, both[i]);
	}
	if (any > 0) /* this is what the cost is of */
		return load > 0 ? fmax(0, 1 - load / any) : -1;
	return load + store > 0 ? store / (load + store) : -1;
}

/*
 * The share of the moves at the last point that are of lines of this kind, false or true sharing: 1
 * with evidence and places; 0 when too few were sampled. Its high end counts what no CPU samples.
 */
static int share_of_sampled(struct sd_case *c, struct sd_finding *f, struct sd_interval *out)
{
	const struct sd_memory_sampled *const m = sampled_at(c);
	const int is_false = sd_cause_growth[f->cause].bytes == SD_CAUSE_BYTES_DIFFERENT;
	const double stores = share_of_stores(c);
	double all, sure = 0, other = 0, low, high;

	if (!m)
		return 0;
	all = m->local + m->remote + m->peer;
	if (!(all >= LEAST))
		return 0;
	for (size_t i = 0; i < m->n_contested; i++) {
		const struct sd_sim_contested *const l = &m->contested[i].line;

		if (l->sharing == (is_false ? SD_SIM_FALSE : SD_SIM_TRUE))
			sure += l->hitm_load;
		else if (l->sharing == (is_false ? SD_SIM_TRUE : SD_SIM_FALSE))
			other += l->hitm_load;
	}
	sure = fmin(sure, all);
	other = fmin(other, all - sure);
	low = sd_statistics_share(sure, all).low;
	high = sd_statistics_share(all - other, all).high;
	sd_case_say(c, f,
		"sampled by %s: of %.0f loads that another core's cache answered, %.0f %% are of "
		"lines of which threads write %s bytes (95 %%: %.0f to %.0f %%)",
		m->source, all, 100 * sure / all, is_false ? "different" : "the same", 100 * low,
		100 * high);
	if (stores > 0) {
		sd_case_say(c, f,
			"of %.0f %% of the moves, which stores waited for, no CPU samples the lines",
			100 * stores);
		low *= 1 - stores;
		high = high * (1 - stores) + stores;
	}
	/* stores that were not counted apart may wait for any lines */
	*out = (struct sd_interval){sure / all, low, stores < 0 ? 1 : high, SD_STATUS_OK};
	c->rc |= sd_line_words_sampled(c->record, m, f);
	return 1;
}

int sd_sharing_has_addresses(const struct sd_case *c)
{
	const struct sd_memory_sampled *const m = sampled_at(c);

	return (c->native && c->native->known) || sd_simulated_costs_false(c) >= 0 ||
	       (m && m->local + m->remote + m->peer >= LEAST);
}

/* Without addresses, lines that move beside as many locked accesses are locks' as far as counts
 * tell: false sharing comes after them. */
static void doubt_beside_locks(struct sd_case *c, struct sd_finding *f)
{
	if (sd_cause_growth[f->cause].bytes != SD_CAUSE_BYTES_DIFFERENT ||
		sd_sharing_has_addresses(c) || !(sd_moved_lines_locked(c) > 0) ||
		!(SD_SHARING_OWN & c->loss->components || sd_moved_lines_matter(c)))
		return;
	sd_case_say(c, f,
		"%.2f locked accesses that found their line exclusive or modified per line that "
		"moves: see %s",
		sd_moved_lines_locked(c), sd_cause_info[SD_CAUSE_LOCK_CONTENTION].label);
	c->contradicted |= 1ul << f->cause;
}

#define WHAT "go to slower user code"

static int is_counted(const struct sd_case *c)
{
	const struct sd_interval v = sd_stated_added(c, SD_SHARING_OWN);

	return c->model->row && v.status == SD_STATUS_OK && !sd_grown_time_unknown(c, &v);
}

/* One run a count has no interval, and shows that lines move. Without a price of theirs nobody says
 * how much that is. */
static void state_moved(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_interval v = sd_stated_added(c, SD_SHARING_OWN);
	const int sized = sd_status_measured(v);
	struct sd_statement s = {.cause = f->cause,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = sized ? sd_stated_unsure(v) : sd_stated_unsized(c),
		.unsized = !sized,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_SHARING_COMPONENTS),
		.id = "sharing-moves"};

	if (!sd_stated_one_run(c))
		return;
	if (sized ? v.value >= SD_CASE_GATE * c->loss->n : sd_moved_lines_matter(c))
		sd_stated_keep(c, &s);
}

void sd_sharing_growth(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	if (sd_native_causes_sharing(c, f, SD_SHARING_COMPONENTS | components))
		return;
	sd_grown_time_state(
		c, f, "sharing-growth", SD_SHARING_COMPONENTS | components, SD_SHARING_OWN, WHAT);
	if (is_counted(c) || !c->model->row)
		return;
	state_moved(c, f);
	if (!sd_stated_speaks(c, f->cause))
		return;
	sd_evidence_counts_sharing(c, f);
	doubt_beside_locks(c, f);
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

	if (!share_of_sampled(c, f, &share))
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
	mine = sd_simulated_costs_moves(&m.after, f->cause) / m.after.hitm;
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
	if (!is_divided)
		doubt_beside_locks(c, f);
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
