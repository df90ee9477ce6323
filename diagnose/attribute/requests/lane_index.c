#include "requests/lane_index.h"

#include <errno.h>
#include <stdlib.h>

#define LOOKS 16u

static int by_tid(const void *a, const void *b)
{
	const struct sd_thread_lanes_thread
		*const x = *(const struct sd_thread_lanes_thread *const *)a,
		       *const y = *(const struct sd_thread_lanes_thread *const *)b;

	return x->tid != y->tid ? (x->tid > y->tid) - (x->tid < y->tid) : (x > y) - (x < y);
}

int sd_lane_index_make(struct sd_lane_index *x, const struct sd_thread_lanes_run *r)
{
	x->n = 0;
	x->lane = calloc(r->n + 1, sizeof *x->lane);
	if (!x->lane)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++)
		if (r->thread[i].n_span)
			x->lane[x->n++] = &r->thread[i];
	if (x->n)
		qsort(x->lane, x->n, sizeof *x->lane, by_tid);
	return 0;
}

void sd_lane_index_free(struct sd_lane_index *x)
{
	free(x->lane);
	*x = (struct sd_lane_index){0};
}

size_t sd_lane_index_span(const struct sd_thread_lanes_thread *t, uint64_t time)
{
	size_t low = 0, high = t->n_span;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->span[middle].to > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

size_t sd_lane_index_sample(const struct sd_thread_lanes_thread *t, uint64_t time)
{
	size_t low = 0, high = t->n_sample;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->sample[middle].time >= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct sd_thread_lanes_thread *sd_lane_index_find(
	const struct sd_lane_index *x, int tid, uint64_t from, uint64_t to)
{
	size_t low = 0, high = x->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (x->lane[middle]->tid >= tid)
			high = middle;
		else
			low = middle + 1;
	}
	for (; low < x->n && x->lane[low]->tid == tid; low++) {
		const size_t at = sd_lane_index_span(x->lane[low], from);

		if (at < x->lane[low]->n_span && x->lane[low]->span[at].from < to)
			return x->lane[low];
	}
	return NULL;
}

int sd_lane_index_waits(const struct sd_thread_lanes_span *s)
{
	return s->activity < SD_ACTIVITY_COUNT &&
	       sd_activity_info[s->activity].group == SD_GROUP_WAITING;
}

static int is_on_cpu(const struct sd_thread_lanes_thread *t, uint64_t time)
{
	const size_t at = sd_lane_index_span(t, time);

	return at < t->n_span && t->span[at].from <= time && !sd_lane_index_waits(&t->span[at]);
}

double sd_lane_index_idle(const struct sd_lane_index *x, uint64_t from, uint64_t to)
{
	unsigned none = 0;

	for (unsigned k = 0; k < LOOKS; k++) {
		const uint64_t time = from + (to - from) * (2 * k + 1) / (2 * LOOKS);
		size_t i = 0;

		while (i < x->n && !is_on_cpu(x->lane[i], time))
			i++;
		none += i == x->n;
	}
	return (double)none / LOOKS;
}
