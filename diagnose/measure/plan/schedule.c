#include "plan/schedule.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "plan/one_run.h"
#include "plan/point_runs.h"
#include "record/disturbed_runs.h"
#include "record/short_budget.h"

/* Without a budget, runs that only narrow an interval may take as long as the required ones, or
 * this many seconds in all. If the interval is still wide then, the machine is not quiet: half the
 * width would cost four times as many runs. */
#define NARROW_TIMES 2
#define NARROW_S 20.0

/* With fewer undisturbed runs per side, even if all of one side are longer than all of the other,
 * no rank test is significant at .1 % (six: 1 / 924). A loss that scatters would remain uncertain,
 * however large; one that is so many half widths away from scaling needs no ranks. */
#define RANKED_LEAST 7u
#define FAR_FROM_SCALING 4
#define FAR_LEAST 5u
/* s; shorter ones cost too little to be fewer. */
#define FEWER_FROM .2

/* One has no interval. */
#define FIRST_RUNS 2u

/* Runs of each pass of counters: one has no scatter. */
#define TIMES 2u

/* A large loss need not be known to SD_SCHEDULE_PRECISION; this share of the loss is enough. */
#define LOSS_SHARE .2

unsigned sd_schedule_runs(const struct sd_record *r, size_t point)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += sd_one_run_counts(&r->run[i], point) ? 1 : 0;
	return n;
}

/* The pass of from..to - 1, or of those of the list, that the point has least often, and less than
 * `most` times; n_pass: there is none. */
static size_t rarest(const struct sd_record *r, size_t point, const struct sd_pass_list *list,
	size_t from, size_t to, unsigned most)
{
	size_t best = r->plan.n_pass;

	for (size_t i = from; i < to; i++) {
		const unsigned pass = list ? list->pass[i] : (unsigned)i;
		const unsigned n = sd_record_counted(r, point, pass);

		if (n < most) {
			most = n;
			best = pass;
		}
	}
	return best;
}

unsigned sd_schedule_pass(
	const struct sd_record *r, const struct sd_run *run, const struct sd_pass_list *first)
{
	const size_t passes = r->plan.n_pass, turn = sd_plan_turn(&r->plan);
	size_t pass;

	if (run->kind != SD_RUN_BLOCK || passes == 0)
		return 0;
	if (r->plan.simulation && r->plan.simulation->whole) /* once each is enough */
		return sd_schedule_runs(r, run->point) % (unsigned)passes;
	pass = rarest(r, run->point, first, 0, first->n, TIMES);
	for (unsigned most = TIMES; pass == passes; most += TIMES)
		for (size_t from = 0; from < passes && pass == passes; from += turn)
			pass = rarest(r, run->point, NULL, from,
				from + turn < passes ? from + turn : passes, most);
	return (unsigned)pass;
}

int sd_schedule_has(const struct sd_record *r, size_t point, unsigned block)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK && r->run[i].point == point &&
			r->run[i].block == block)
			return 1;
	return 0;
}

unsigned sd_schedule_simulated(const struct sd_record *r, size_t point)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += r->run[i].kind == SD_RUN_SIMULATED && r->run[i].point == point &&
		     !(r->run[i].end == SD_END_SIGNALLED &&
			     (r->run[i].code == SIGTERM || r->run[i].code == SIGKILL));
	return n;
}

size_t sd_schedule_sampled_point(const struct sd_plan *plan)
{
	size_t best = plan->n_point;

	for (size_t p = 0; p < plan->n_point; p++)
		if (!plan->point[p].simulated && plan->point[p].cores > 1 &&
			(best == plan->n_point || plan->point[p].cores > plan->point[best].cores))
			best = p;
	return best;
}

int sd_schedule_sampled_done(const struct sd_record *r, enum sd_run_kind kind)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == kind)
			return 1;
	return 0;
}

unsigned sd_schedule_block(const struct sd_record *r)
{
	unsigned last = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK && r->run[i].block > last)
			last = r->run[i].block;
	return last;
}

int sd_schedule_block_begun(const struct sd_record *r)
{
	int begun = 0;

	for (size_t i = 0; i < r->n_run; i++)
		begun |= r->run[i].kind == SD_RUN_BLOCK;
	return begun;
}

int sd_schedule_drift_done(const struct sd_record *r)
{
	int done = r->plan.quick;

	for (size_t i = 0; i < r->n_run && !r->plan.quick; i++)
		if (r->run[i].kind == SD_RUN_DRIFT)
			done = 1;
		else if (r->run[i].kind == SD_RUN_BLOCK)
			done = 0;
	return done;
}

double sd_schedule_wall(const struct sd_record *r, size_t point)
{
	struct sd_point_runs x;
	double wall = NAN;

	if (sd_point_runs_find(r, &x) == 0)
		wall = sd_point_runs_wall(&x, point);
	sd_point_runs_free(&x);
	return wall;
}

unsigned sd_schedule_least(const struct sd_record *r, size_t point)
{
	struct sd_point_runs x;
	unsigned least = 0;

	if (sd_point_runs_find(r, &x) == 0)
		least = sd_point_runs_least(&x, point);
	sd_point_runs_free(&x);
	return least;
}

/* Have the runs that only narrow the interval used up their time? */
static int is_narrowed_enough(const struct sd_point_runs *x)
{
	const struct sd_record *const r = x->record;
	double spent = 0, least = 0;

	if (r->plan.budget_s > 0)
		return 0;
	if (sd_short_budget_left(r) <= (r->plan.n_experiment ? sd_short_budget_experiments(r) : 0))
		return 1;
	for (size_t p = 0; p < r->plan.n_point; p++) {
		const double wall = sd_point_runs_wall(x, p);

		if (r->plan.point[p].simulated || !isfinite(wall))
			continue;
		spent += wall * sd_point_runs_good(x, p);
		least += wall * sd_point_runs_least(x, p);
	}
	return spent >= fmax(NARROW_S, NARROW_TIMES * least);
}

/* Is what is lost known to a share of it, and sure? */
static int is_loss_known(double middle, double half, size_t few)
{
	const int far = SD_SCHEDULE_SCALES - middle >= FAR_FROM_SCALING * half;

	return few >= (far ? FAR_LEAST : RANKED_LEAST) && half <= LOSS_SHARE * (1 - middle);
}

/* Does the point lack a run of one of these passes? */
static int lacks_passes(
	const struct sd_point_runs *x, size_t point, const struct sd_pass_list *first)
{
	const struct sd_plan *const plan = &x->record->plan;

	return !plan->point[point].simulated &&
	       (!plan->max_repeats || sd_point_runs_good(x, point) < plan->max_repeats) &&
	       rarest(x->record, point, first, 0, first->n, TIMES) < plan->n_pass;
}

/* Are fewer runs of the point than that undisturbed? Of more the least disturbed are compared. */
static int is_disturbed(const struct sd_point_runs *x, size_t point)
{
	const unsigned cores = x->record->plan.point[point].cores;
	unsigned quiet = 0;
	int known = 0;

	for (size_t i = x->first[point]; i < x->first[point + 1]; i++)
		quiet +=
			sd_one_run_counts(x->run[i], point) &&
			sd_disturbed_runs_share(x->run[i], cores, &known) <= SD_DISTURBED_RUNS_FROM;
	return quiet < FAR_LEAST;
}

/* Is what every count loses known, and so much that no more runs are needed to be sure of it? */
static int is_clear(const struct sd_point_runs *x)
{
	const struct sd_record *const r = x->record;

	for (size_t p = 0; p < r->plan.n_point; p++) {
		double half, middle;
		unsigned least;
		size_t few;

		if (r->plan.point[p].simulated)
			continue;
		/* beside others it is not known whose the loss is */
		least = sd_point_runs_wall(x, p) < FEWER_FROM || is_disturbed(x, p)
				? sd_point_runs_least(x, p)
				: FAR_LEAST;
		if (sd_point_runs_good(x, p) < least ||
			sd_point_runs_good(x, p) < 2 * sd_plan_turn(&r->plan))
			return 0;
		half = p ? sd_point_runs_interval(x, p, &middle, &few) : 0;
		if (p && !(few >= FAR_LEAST && is_loss_known(middle, half, FAR_LEAST)))
			return 0;
	}
	return r->plan.n_point > 1;
}

/* Points that have fewer runs than the least, and than `most`. */
static size_t lacking(const struct sd_point_runs *x, unsigned most, unsigned char *need)
{
	const struct sd_plan *const plan = &x->record->plan;
	size_t n = 0;

	for (size_t p = 0; p < plan->n_point; p++) {
		const unsigned runs = sd_point_runs_good(x, p);

		need[p] = runs < most && runs < sd_point_runs_least(x, p);
		n += need[p];
	}
	return n;
}

static size_t least_of(const struct sd_point_runs *x, unsigned char *need)
{
	const size_t n = lacking(x, UINT_MAX, need);

	if (!n || x->record->plan.min_repeats || !is_clear(x))
		return n;
	memset(need, 0, x->record->plan.n_point);
	return 0;
}

/* Both ends of what is compared, where the efficiency is not known well enough; the counts between
 * are not judged. */
static size_t ends_of(const struct sd_point_runs *x, unsigned char *need, double *worst)
{
	const struct sd_plan *const plan = &x->record->plan;
	const size_t p = sd_schedule_sampled_point(plan);
	unsigned most = plan->max_repeats / 2;
	double half, middle;
	size_t few;

	if (p == plan->n_point || p == 0)
		return 0;
	half = sd_point_runs_interval(x, p, &middle, &few);
	if (half <= SD_SCHEDULE_PRECISION || is_loss_known(middle, half, few))
		return 0;
	*worst = half;
	/* NAN counts as not known, too */
	if (!(fabs(middle - SD_SCHEDULE_SCALES) > half) || few < RANKED_LEAST)
		most = plan->max_repeats;
	if (sd_point_runs_good(x, p) >= most)
		return 0;
	need[p] = 1;
	need[0] = sd_point_runs_good(x, 0) < most;
	return 1 + (size_t)need[0];
}

static size_t need_of(const struct sd_point_runs *x, const struct sd_pass_list *first,
	unsigned char *need, double *worst)
{
	const struct sd_plan *const plan = &x->record->plan;
	size_t n = least_of(x, need);

	if (n || plan->min_repeats || (plan->simulation && plan->simulation->whole))
		return n;
	/* whether another window is due is known by where its cores go, and asked before this */
	if (x->record->program.attached && plan->n_point == 1)
		return need[0] = sd_point_runs_good(x, 0) < plan->max_repeats;
	for (size_t p = 0; p < plan->n_point; p++)
		n += need[p] = lacks_passes(x, p, first) != 0;
	return n || is_narrowed_enough(x) ? n : ends_of(x, need, worst);
}

size_t sd_schedule_need_first(const struct sd_record *r, unsigned char *need)
{
	struct sd_point_runs x;
	size_t n = 0;

	memset(need, 0, r->plan.n_point);
	if (sd_point_runs_find(r, &x) == 0)
		n = lacking(&x, FIRST_RUNS, need);
	sd_point_runs_free(&x);
	return n;
}

size_t sd_schedule_need_least(const struct sd_record *r, unsigned char *need)
{
	struct sd_point_runs x;
	size_t n = 0;

	memset(need, 0, r->plan.n_point);
	if (sd_point_runs_find(r, &x) == 0)
		n = least_of(&x, need);
	sd_point_runs_free(&x);
	return n;
}

size_t sd_schedule_need_largest(const struct sd_record *r, unsigned char *need)
{
	const size_t p = sd_schedule_sampled_point(&r->plan);

	memset(need, 0, r->plan.n_point);
	if (p == r->plan.n_point)
		return 0;
	need[p] = 1;
	return 1;
}

size_t sd_schedule_need(const struct sd_record *r, const struct sd_pass_list *first,
	unsigned char *need, double *worst)
{
	struct sd_point_runs x;
	size_t n = 0;

	*worst = 0;
	memset(need, 0, r->plan.n_point);
	if (sd_point_runs_find(r, &x) == 0)
		n = need_of(&x, first, need, worst);
	sd_point_runs_free(&x);
	return n;
}
