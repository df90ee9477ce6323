#include "analysis/kernel_lock_means.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct sd_kernel_locks *locks_of(const struct sd_run *run, size_t point)
{
	return run->point == point && run->kernel_locks && sd_run_ended_well(run) &&
			       (run->kind == SD_RUN_BLOCK || run->kind == SD_RUN_DRIFT)
		       ? run->kernel_locks
		       : NULL;
}

/* The largest count with such runs, and the smallest; points of the plan rise. */
static int find_points(const struct sd_record *r, size_t *least, size_t *most)
{
	int found = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const size_t p = r->run[i].point;

		if (!locks_of(&r->run[i], p))
			continue;
		*least = !found || p < *least ? p : *least;
		*most = !found || p > *most ? p : *most;
		found = 1;
	}
	return found;
}

static const char *text(const struct sd_record *r, unsigned index)
{
	return sd_stacks_text_at(&r->stacks, index);
}

static struct sd_kernel_lock_mean *mean_of(struct sd_kernel_lock_means *m,
	const struct sd_record *r, const struct sd_kernel_lock *l, int make)
{
	struct sd_kernel_lock_mean *row = m->row;

	for (; row < m->row + m->n_row; row++)
		if (strcmp(row->name, text(r, l->name)) == 0 &&
			strcmp(row->call, text(r, l->call)) == 0 &&
			strcmp(row->held, text(r, l->held)) == 0)
			return row;
	if (!make || m->n_row == SD_KERNEL_LOCK_ROWS)
		return NULL;
	m->n_row++;
	*row = (struct sd_kernel_lock_mean){
		.name = text(r, l->name), .call = text(r, l->call), .held = text(r, l->held)};
	return row;
}

static double wall_of(const struct sd_run *run)
{
	const struct sd_value wall = sd_run_whole(run);

	return sd_has(wall) && wall.value > 0 ? wall.value : INFINITY;
}

static void add_run(struct sd_kernel_lock_means *m, const struct sd_record *r,
	const struct sd_run *run, const struct sd_kernel_locks *l)
{
	m->other_cores += l->other_s / wall_of(run);
	m->recorded += l->recorded;
	m->n_seen = l->n_row_seen > m->n_seen ? l->n_row_seen : m->n_seen;
	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_kernel_lock *const from = &l->row[i];
		struct sd_kernel_lock_mean *const to = mean_of(m, r, from, 1);

		if (!to) {
			m->other_cores += from->wait_s / wall_of(run);
			continue;
		}
		m->waits += from->waits;
		to->waits += from->waits;
		to->wait_s += from->wait_s;
		to->slept_s += from->slept_s;
		to->longest_s = fmax(to->longest_s, from->longest_s);
		to->cores += from->wait_s / wall_of(run);
		to->node = to->node ? to->node : from->node;
	}
}

static void divide(struct sd_kernel_lock_means *m)
{
	const double runs = (double)m->runs;

	m->other_cores /= runs;
	m->waits /= runs;
	m->recorded /= runs;
	for (size_t i = 0; i < m->n_row; i++) {
		m->row[i].waits /= runs;
		m->row[i].wait_s /= runs;
		m->row[i].slept_s /= runs;
		m->row[i].cores /= runs;
	}
}

static int more_first(const void *a, const void *b)
{
	const struct sd_kernel_lock_mean *const x = a, *const y = b;

	return (x->wait_s < y->wait_s) - (x->wait_s > y->wait_s);
}

static void add_runs(struct sd_kernel_lock_means *m, const struct sd_record *r, size_t point)
{
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_kernel_locks *const l = locks_of(&r->run[i], point);

		if (l && l->status != SD_STATUS_OK)
			m->status = l->status;
		if (!l || l->status != SD_STATUS_OK)
			continue;
		m->runs++;
		add_run(m, r, &r->run[i], l);
	}
	if (m->runs)
		m->status = SD_STATUS_OK;
}

/* The smallest count's, of rows that the largest has: one that is missing there is a measured 0. */
static void compare(struct sd_kernel_lock_means *m, const struct sd_record *r, size_t least)
{
	size_t runs = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_kernel_locks *const l = locks_of(&r->run[i], least);

		if (!l || l->status != SD_STATUS_OK)
			continue;
		runs++;
		for (size_t k = 0; k < l->n_row; k++) {
			struct sd_kernel_lock_mean *const to = mean_of(m, r, &l->row[k], 0);

			if (to)
				to->at_least.value += l->row[k].wait_s / wall_of(&r->run[i]);
		}
	}
	for (size_t i = 0; i < m->n_row && runs; i++)
		m->row[i].at_least = SD_OK(m->row[i].at_least.value / (double)runs);
}

void sd_kernel_lock_means_of(const struct sd_record *r, struct sd_kernel_lock_means *out)
{
	size_t least = 0, most = 0;

	*out = (struct sd_kernel_lock_means){0};
	if (!find_points(r, &least, &most))
		return;
	out->cores = r->plan.point[most].cores;
	out->least = r->plan.point[least].cores;
	add_runs(out, r, most);
	if (!out->runs)
		return;
	divide(out);
	qsort(out->row, out->n_row, sizeof *out->row, more_first);
	if (least != most)
		compare(out, r, least);
}
