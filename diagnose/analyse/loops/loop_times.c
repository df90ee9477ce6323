#include "loops/loop_times.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hotspots/constructs.h"
#include "hotspots/allocator_names.h"
#include "hotspots/function_role.h"

/* As of other samples (accounting/parts_by_stack.c): what they cover less of is not seen. */
#define COVERED .8

static int looked(const struct sd_run *run)
{
	return run->native && run->native->status == SD_STATUS_OK && run->native->seconds > 0;
}

static size_t runs_that_look(const struct sd_chosen *p, int typical)
{
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++)
		n += (size_t)(looked(p->run[j]) && (!typical || sd_run_selection_typical(p, j)));
	return n;
}

int sd_loop_times_counts(const struct sd_chosen *p, size_t j)
{
	return looked(p->run[j]) && (sd_run_selection_typical(p, j) || !runs_that_look(p, 1));
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_node(const void *x, const void *y)
{
	const struct sd_loop_times_row *const a = x, *const b = y;

	return (a->node > b->node) - (a->node < b->node);
}

static size_t all_loops(const struct sd_chosen *p)
{
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++)
		n += looked(p->run[j]) ? p->run[j]->native->n_loop : 0;
	return n;
}

static void put_nodes(const struct sd_chosen *p, struct sd_loop_times *t)
{
	for (size_t j = 0; j < p->n_run; j++)
		for (size_t i = 0; looked(p->run[j]) && i < p->run[j]->native->n_loop; i++)
			t->row[t->n++].node = p->run[j]->native->loop[i].node;
}

static int make_rows(struct sd_loop_times *t)
{
	size_t n = 0;

	t->row = calloc(all_loops(t->ref) + all_loops(t->now) + 1, sizeof *t->row);
	if (!t->row)
		return -ENOMEM;
	put_nodes(t->ref, t);
	put_nodes(t->now, t);
	qsort(t->row, t->n, sizeof *t->row, by_node);
	for (size_t i = 0; i < t->n; i++)
		if (i == 0 || t->row[i].node != t->row[n - 1].node)
			t->row[n++] = t->row[i];
	t->n = n;
	return 0;
}

struct sd_loop_times_row *sd_loop_times_find(const struct sd_loop_times *t, unsigned node)
{
	const struct sd_loop_times_row key = {.node = node};

	return bsearch(&key, t->row, t->n, sizeof *t->row, by_node);
}

static enum sd_loop_owner owner_of(const struct sd_stacks *s, const struct sd_frame *f)
{
	const char *const name = sd_stacks_text_at(s, f->function);

	if (sd_allocator_names_of(name, sd_stacks_text_at(s, f->module)) != SD_ALLOCATOR_NONE)
		return SD_LOOP_OF_ALLOCATOR;
	if (sd_function_role_locks(name))
		return SD_LOOP_OF_LOCKS;
	return sd_constructs_is_openmp(sd_stacks_text_at(s, f->module)) ||
			       sd_function_role_hands_out(name)
		       ? SD_LOOP_OF_RUNTIME
		       : SD_LOOP_OWN;
}

static void put_owners(const struct sd_stacks *s, const struct sd_code_places *places,
	const unsigned char *holds, struct sd_loop_times *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const unsigned node = t->row[i].node;

		if (!node || node >= s->n_node || s->node[node].frame >= s->n_frame)
			continue;
		t->row[i].owner = owner_of(s, &s->frame[s->node[node].frame]);
		t->row[i].holds = holds[sd_code_places_leaf(places, node)];
	}
}

/* ---- times ----------------------------------------------------------------------------------- */

/* The user time of a run that did not spin, divided among its loops as their samples are. */
static void put_run(struct sd_loop_times *t, const struct sd_chosen *p, size_t j, double *part)
{
	const struct sd_native_lines *const l = p->run[j]->native;
	const double capacity = p->n * p->run[j]->metric[SD_METRIC_WALL].value;
	const double user = p->parts[j].part[SD_PART_USER];
	double all = 0, scale;

	if (!looked(p->run[j]) || !(capacity > 0)) {
		part[t->n] = user;
		return;
	}
	for (size_t i = 0; i < l->n_loop; i++)
		all += l->loop[i].seconds / capacity;
	scale = all >= COVERED * user && all > 0 ? user / all : 1;
	for (size_t i = 0; i < l->n_loop; i++)
		part[sd_loop_times_find(t, l->loop[i].node) - t->row] +=
			scale * l->loop[i].seconds / capacity;
	part[t->n] = fmax(0, user - scale * all);
}

static double bits(uint64_t mask)
{
	double n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* Share of the written bytes of a line that only their writer uses, 0..1: only these can be moved
 * apart. Bytes that each writes at random are shared, however seldom two meet at the same ones. */
static double share_of_private(const struct sd_sim_contested *l)
{
	double own = 0, all = 0;

	if (l->sharing == SD_SIM_FALSE)
		return 1;
	for (size_t i = 0; i < l->n_sharer; i++) {
		uint64_t others = 0;

		for (size_t k = 0; k < l->n_sharer; k++)
			others |= k != i ? l->sharer[k].read | l->sharer[k].written : 0;
		own += bits(l->sharer[i].written & ~others);
		all += bits(l->sharer[i].written);
	}
	return all > 0 ? own / all : 1;
}

/* Times at different bytes of a line whose bytes are not one thread's each. */
static double not_apart(const struct sd_native_lines *l, const struct sd_native_loop *k)
{
	return k->line && k->line <= l->n_line
		       ? k->false_s * (1 - share_of_private(&l->line[k->line - 1].line))
		       : 0;
}

static void add_sums(struct sd_loop_times *t, const struct sd_run *run)
{
	const struct sd_native_lines *const l = run->native;
	double seconds = 0;

	for (size_t i = 0; i < l->n_loop; i++)
		seconds += l->loop[i].seconds + l->loop[i].spun;
	for (size_t i = 0; i < l->n_loop; i++) {
		const struct sd_native_loop *const k = &l->loop[i];
		struct sd_loop_sums *const s = &sd_loop_times_find(t, k->node)->sum;
		const double samples = seconds > 0 ? l->samples * k->seconds / seconds : 0;
		const double moved = not_apart(l, k);

		s->seconds += k->seconds;
		s->of_false += k->false_s - moved;
		s->of_true += k->true_s + (k->true_s > 0 ? moved : 0);
		s->of_lock += k->lock_s;
		s->split += k->split_s;
		s->maybe += k->maybe_s + (k->true_s > 0 ? 0 : moved);
		s->unknown += k->unknown_s;
		s->read += k->read_s;
		s->samples += samples;
		s->new_lines += fmin(k->lines, samples);
		s->new_pages += fmin(k->pages, samples);
		s->most_lines = fmax(s->most_lines, k->lines);
		s->most_pages = fmax(s->most_pages, k->pages);
		t->seconds += k->seconds;
		t->samples += samples;
		t->split += k->split_s;
	}
}

/* Mean of a column over the counted runs. */
static double mean_of(const struct sd_chosen *p, const double *value, const unsigned *times)
{
	double sum = 0, weights = 0;

	for (int drawn = times != NULL; drawn >= 0 && !(weights > 0); drawn--)
		for (size_t j = 0; j < p->n_run; j++) {
			const double weight = drawn && times ? times[j] : 1;

			if (!(weight > 0) || !sd_loop_times_counts(p, j))
				continue;
			weights += weight;
			sum += weight * value[j];
		}
	return weights > 0 ? sum / weights : 0;
}

double sd_loop_times_grown(const struct sd_loop_times *t, const double *value,
	const unsigned *times_ref, const unsigned *times_now, double time_ref, double time_now)
{
	return t->now->n * mean_of(t->now, value + t->ref->n_run, times_now) -
	       t->now->work * t->ref->n * mean_of(t->ref, value, times_ref) * time_ref / time_now;
}

static int put_growth(struct sd_loop_times *t)
{
	const size_t runs = t->ref->n_run + t->now->n_run;
	double *const column = calloc(runs, sizeof *column);

	if (!column)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < runs; j++)
			column[j] = t->part[j * (t->n + 1) + i];
		t->row[i].cores = sd_loop_times_grown(
			t, column, NULL, NULL, t->ref->median_time, t->now->median_time);
	}
	free(column);
	return 0;
}

int sd_loop_times_make(const struct sd_record *record, const struct sd_chosen *ref,
	const struct sd_chosen *now, const struct sd_code_places *places,
	const unsigned char *holds, struct sd_loop_times *out)
{
	int rc;

	*out = (struct sd_loop_times){.ref = ref, .now = now};
	if (!runs_that_look(ref, 0) || !runs_that_look(now, 0))
		return 0;
	rc = make_rows(out);
	if (rc)
		return rc;
	put_owners(&record->stacks, places, holds, out);
	out->part = calloc((ref->n_run + now->n_run) * (out->n + 1), sizeof *out->part);
	if (!out->part)
		return -ENOMEM;
	for (size_t j = 0; j < ref->n_run; j++)
		put_run(out, ref, j, out->part + j * (out->n + 1));
	for (size_t j = 0; j < now->n_run; j++) {
		put_run(out, now, j, out->part + (ref->n_run + j) * (out->n + 1));
		if (sd_loop_times_counts(now, j))
			add_sums(out, now->run[j]);
	}
	return put_growth(out);
}

void sd_loop_times_free(struct sd_loop_times *t)
{
	free(t->row);
	free(t->part);
	*t = (struct sd_loop_times){0};
}
