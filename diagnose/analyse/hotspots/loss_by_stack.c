#include "hotspots/loss_by_stack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Collects the values of a run, whose whole capacity has the weight of `weight` cores. */
struct sink {
	struct sd_loss_by_stack *s;
	double weight;
};

static void add(void *ctx, unsigned node, enum sd_part part, double value)
{
	const struct sink *k = ctx;
	struct sd_loss_by_stack *s = k->s;
	const unsigned spot = sd_code_places_spot(&s->places, node);
	const double cores = k->weight * value;

	SD_LOSS_BY_STACK(s, spot, part) += cores;
	SD_LOSS_BY_STACK_BEFORE(s, spot, part) -= fmin(0, cores); /* the reference's are negative */
	s->exclusive[sd_code_places_leaf(&s->places, node)] += cores;
	if (node < s->places.stacks->n_node)
		s->node[node] += cores;
}

size_t sd_loss_by_stack_path(
	const struct sd_code_places *p, unsigned node, unsigned out[SD_STACKS_DEPTH])
{
	const struct sd_stacks *s = p->stacks;
	size_t n = 0;

	for (unsigned i = node; i > 0 && i < s->n_node && n < SD_STACKS_DEPTH;
		i = s->node[i].parent < i ? s->node[i].parent : 0) {
		const unsigned f = sd_code_places_leaf(p, i);
		size_t k = 0;

		while (k < n && out[k] != f)
			k++;
		if (k == n)
			out[n++] = f;
	}
	return n;
}

static void include(struct sd_loss_by_stack *s)
{
	unsigned path[SD_STACKS_DEPTH];

	for (size_t i = 1; i < s->places.stacks->n_node; i++) {
		size_t n = s->node[i] > 0 || s->node[i] < 0
				   ? sd_loss_by_stack_path(&s->places, (unsigned)i, path)
				   : 0;

		for (size_t k = 0; k < n; k++)
			s->inclusive[path[k]] += s->node[i];
	}
}

/* ---- locks of the allocator ------------------------------------------------------------------ */

/* A run's waits for locks, passed on to `each`. */
struct lock_waits {
	const struct sd_code_places *places;
	sd_parts_by_stack_fn *each;
	void *ctx;
	double below;  /* share of the waits whose stacks are known, that are below malloc */
	double own[2]; /* charged to owners that were outside of malloc, and below it */
};

static int allocates(const struct sd_code_places *p, unsigned node)
{
	return p->spot[sd_code_places_spot(p, node)].allocates;
}

static int is_lock_wait(const struct sd_use *u)
{
	return u->node && sd_activity_info[u->activity].wait == SD_WAIT_LOCK &&
	       sd_run_parts_usable(SD_OK(u->seconds));
}

static void add_owner(void *ctx, unsigned node, enum sd_part part, double value)
{
	struct lock_waits *const w = ctx;

	if (part == SD_PART_LOCK && node)
		w->own[allocates(w->places, node)] += value;
}

/* Charges the owners outside of malloc what is left to other locks; all of it where none was
 * outside. */
static void pass_owner(void *ctx, unsigned node, enum sd_part part, double value)
{
	const struct lock_waits *const w = ctx;

	if (part == SD_PART_LOCK && node) {
		const double all = w->own[0] + w->own[1];
		const int left = w->own[0] > 0 ? 0 : 1;

		value *= allocates(w->places, node) == left ? (1 - w->below) * all / w->own[left]
							    : 0;
	}
	if (value > 0 || value < 0)
		w->each(w->ctx, node, part, value);
}

void sd_loss_by_stack_each(const struct sd_code_places *places, const struct sd_run *run,
	unsigned n, const struct sd_run_parts *parts, sd_parts_by_stack_fn *each, void *ctx)
{
	const struct sd_sampled *const s = &run->sampled;
	struct lock_waits w = {places, each, ctx, 0, {0, 0}};
	double all = 0, below = 0;

	for (size_t i = 0; i < s->n_use; i++) {
		const double waited = is_lock_wait(&s->use[i]) ? s->use[i].seconds : 0;

		all += waited;
		below += waited > 0 && allocates(places, s->use[i].node) ? waited : 0;
	}
	if (below > 0)
		sd_parts_by_stack_each(run, n, parts, add_owner, &w);
	if (!(w.own[0] + w.own[1] > 0)) {
		sd_parts_by_stack_each(run, n, parts, each, ctx);
		return;
	}
	w.below = below / all;
	sd_parts_by_stack_each(run, n, parts, pass_owner, &w);
	for (size_t i = 0; i < s->n_use; i++)
		if (is_lock_wait(&s->use[i]) && s->use[i].seconds > 0 &&
			allocates(places, s->use[i].node))
			each(ctx, s->use[i].node, SD_PART_LOCK,
				w.below * (w.own[0] + w.own[1]) * s->use[i].seconds / below);
}

static int is_counted(const struct sd_chosen *p, size_t j, int typical)
{
	return sd_parts_by_stack_sampled(p->run[j]) && (!typical || sd_run_selection_typical(p, j));
}

static size_t sampled_runs(const struct sd_chosen *p, int typical)
{
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++)
		n += (size_t)is_counted(p, j, typical);
	return n;
}

/* Adds the mean of a point's typical sampled runs, of all of them when there is none, in cores of
 * the largest point. */
static void add_point(struct sd_loss_by_stack *s, const struct sd_chosen *p, double cores)
{
	const int typical = sampled_runs(p, 1) > 0;
	struct sink k = {s, cores / (double)sampled_runs(p, typical)};

	for (size_t j = 0; j < p->n_run; j++)
		if (is_counted(p, j, typical))
			sd_loss_by_stack_each(&s->places, p->run[j], p->n, &p->parts[j], add, &k);
}

/* Bytes of "ns::thing::" where the name is a constructor's, "ns::thing::thing()"; 0: it is none. */
static size_t class_of(const char *name)
{
	const size_t all = strcspn(name, "(");
	size_t last = 0, before = 0;

	for (size_t i = 0; i + 1 < all; i++)
		if (name[i] == ':' && name[i + 1] == ':') {
			before = last;
			last = i + 2;
		}
	return last && all - last == last - 2 - before &&
			       strncmp(name + last, name + before, all - last) == 0
		       ? last
		       : 0;
}

/* Marks the other members of the class that a lock is held to construct: they count its references
 * and let them go, on lines that go from core to core with the lock's. */
static void mark_class(const struct sd_stacks *s, unsigned holder, unsigned char *holds)
{
	const size_t n = holder < s->n_text && s->text[holder] ? class_of(s->text[holder]) : 0;

	for (size_t i = 0; n && i < s->n_text; i++)
		if (s->text[i] && strncmp(s->text[i], s->text[holder], n) == 0)
			holds[i] = 1;
}

/* Marks the functions that hold a lock for which threads of this point waited. */
static void mark_holders(const struct sd_stacks *s, const struct sd_chosen *p, unsigned char *holds)
{
	for (size_t j = 0; j < p->n_run; j++)
		for (size_t i = 0;
			sd_parts_by_stack_sampled(p->run[j]) && i < p->run[j]->sampled.n_lock;
			i++) {
			const struct sd_lock_use *const l = &p->run[j]->sampled.lock[i];

			for (int k = 0; k < SD_LOCK_STACKS && l->kind == SD_ACTIVITY_MUTEX; k++) {
				const unsigned f =
					l->waiter[k].seconds > 0
						? sd_code_places_asked(s, l->waiter[k].node)
						: 0;

				holds[f] = 1;
				mark_class(s, f, holds);
			}
		}
	holds[0] = 0; /* unknown */
}

int sd_loss_by_stack_make(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_loss_by_stack *out)
{
	const struct sd_chosen *ref = &choice->point[0], *now = &choice->point[choice->n_point - 1];
	const struct sd_code_places *p = &out->places;
	unsigned char *holds;
	int rc;

	*out = (struct sd_loss_by_stack){.allocated = {.status = SD_STATUS_ABSENT},
		.locking = {.status = SD_STATUS_ABSENT},
		.tasking = {.status = SD_STATUS_ABSENT},
		.dispatch = {.status = SD_STATUS_ABSENT}};
	out->whole = record->program.attached && ref == now;
	if ((ref == now && !out->whole) || sampled_runs(ref, 0) == 0 || sampled_runs(now, 0) == 0 ||
		!(ref->known & now->known & SD_RUN_PARTS_CPU))
		return 0;
	holds = calloc(record->stacks.n_text + 1, 1);
	if (!holds)
		return -ENOMEM;
	mark_holders(&record->stacks, now, holds);
	rc = sd_code_places_make(&out->places, &record->stacks, holds);
	free(holds);
	if (rc)
		return rc;
	out->spot = calloc(p->n_spot * SD_PART_COUNT, sizeof *out->spot);
	out->before = calloc(p->n_spot * SD_PART_COUNT, sizeof *out->before);
	out->exclusive = calloc(p->n_function, sizeof *out->exclusive);
	out->inclusive = calloc(p->n_function, sizeof *out->inclusive);
	out->node = calloc(record->stacks.n_node + 1, sizeof *out->node);
	if (!out->spot || !out->before || !out->exclusive || !out->inclusive || !out->node)
		return -ENOMEM;
	out->ref = ref;
	out->now = now;
	add_point(out, now, now->n);
	if (!out->whole)
		add_point(out, ref, -now->work * ref->n * ref->median_time / now->median_time);
	include(out);
	return 0;
}

void sd_loss_by_stack_free(struct sd_loss_by_stack *s)
{
	sd_code_places_free(&s->places);
	free(s->spot);
	free(s->before);
	free(s->exclusive);
	free(s->inclusive);
	free(s->node);
	*s = (struct sd_loss_by_stack){0};
}

double sd_loss_by_stack_sum(const struct sd_loss_by_stack *s, size_t spot, unsigned long parts)
{
	double sum = 0;

	for (int k = 0; k < SD_PART_COUNT; k++)
		if (parts >> k & 1)
			sum += SD_LOSS_BY_STACK(s, spot, k);
	return sum;
}

int sd_loss_by_stack_is_locking(const struct sd_spot *spot, enum sd_part part)
{
	return spot->locks && !spot->allocates && part == SD_PART_USER;
}
