#include "requests/wait_holder.h"

#include "requests/lane_index.h"

#define CONVOY 8 /* waiters that hand a lock on are followed so far */

/* The thread that ended a wait of `lane` at a time; NULL unknown. */
static const struct sd_thread_lanes_thread *waker_of(const struct sd_timeline *t,
	const struct sd_thread_lanes_run *run, const struct sd_thread_lanes_thread *lane,
	uint64_t time)
{
	const size_t thread = (size_t)(lane - run->thread);
	size_t low = 0, high = t->n;

	time += t->start;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->moment[middle].time >= time)
			high = middle;
		else
			low = middle + 1;
	}
	for (; low < t->n && t->moment[low].time == time; low++)
		if (t->moment[low].kind == SD_MOMENT_WAKE && t->moment[low].other == thread &&
			t->moment[low].thread < run->n)
			return &run->thread[t->moment[low].thread];
	return NULL;
}

/* Its longest wait then, without those for a CPU; NULL: it ran for longer. */
static const struct sd_thread_lanes_span *longest_wait(
	const struct sd_thread_lanes_thread *t, uint64_t from, uint64_t to)
{
	const struct sd_thread_lanes_span *most = NULL;
	uint64_t longest = 0, ran = 0;

	for (size_t i = sd_lane_index_span(t, from); i < t->n_span && t->span[i].from < to; i++) {
		const struct sd_thread_lanes_span *const s = &t->span[i];
		const uint64_t since = s->from > from ? s->from : from,
			       until = s->to < to ? s->to : to;

		if (!sd_lane_index_waits(s))
			ran += until - since;
		else if (s->activity != SD_ACTIVITY_RUNNABLE && until - since > longest) {
			longest = until - since;
			most = s;
		}
	}
	return longest > ran ? most : NULL;
}

unsigned sd_wait_holder_node(const struct sd_timeline *t, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane, uint64_t from, uint64_t to)
{
	for (int k = 0; k < CONVOY; k++) {
		const struct sd_thread_lanes_thread *const by = waker_of(t, run, lane, to);
		const struct sd_thread_lanes_span *const wait =
			by ? longest_wait(by, from, to) : NULL;
		size_t at;

		if (!by)
			return 0;
		if (wait && sd_activity_info[wait->activity].wait != SD_WAIT_LOCK)
			return wait->node;
		if (wait) {
			lane = by;
			from = wait->from;
			to = wait->to;
			continue;
		}
		at = sd_lane_index_sample(by, from + (to - from) / 2);
		if (at < by->n_sample && by->sample[at].time <= to)
			return by->sample[at].node;
		return at > 0 && by->sample[at - 1].time >= from ? by->sample[at - 1].node : 0;
	}
	return 0;
}
