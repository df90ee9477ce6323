#include "requests/wait_holder.h"

#include "requests/lane_index.h"

#define CONVOY 8 /* waiters that hand a lock on are followed so far */

/* The first moment at a time or behind it. */
static size_t find_moment(const struct sd_timeline *t, uint64_t time)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->moment[middle].time >= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The thread that ended a wait of `lane` at a time; NULL unknown. */
static const struct sd_thread_lanes_thread *waker_of(const struct sd_timeline *t,
	const struct sd_thread_lanes_run *run, const struct sd_thread_lanes_thread *lane,
	uint64_t time)
{
	const size_t thread = (size_t)(lane - run->thread);
	size_t low;

	time += t->start;
	low = find_moment(t, time);
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

/* The node where it ran within a time: of the sample in its middle, or the last before. 0 unknown.
 */
static unsigned ran_at(const struct sd_thread_lanes_thread *t, uint64_t from, uint64_t to)
{
	const size_t at = sd_lane_index_sample(t, from + (to - from) / 2);

	if (at < t->n_sample && t->sample[at].time <= to)
		return t->sample[at].node;
	return at > 0 && t->sample[at - 1].time >= from ? t->sample[at - 1].node : 0;
}

unsigned sd_wait_holder_runner(const struct sd_timeline *t, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane, uint64_t from, uint64_t to)
{
	const size_t thread = (size_t)(lane - run->thread);
	size_t left = run->n;
	int got = 0;

	/* one switch of a CPU takes one thread from it and gives it to another, at one time */
	for (size_t i = find_moment(t, t->start + to);
		i < t->n && t->moment[i].time == t->start + to; i++) {
		const struct sd_moment *const m = &t->moment[i];

		if (m->kind == SD_MOMENT_IN && m->thread == thread)
			got = 1;
		else if ((m->kind == SD_MOMENT_OUT || m->kind == SD_MOMENT_PUSHED) &&
			 m->thread != thread && m->thread < run->n)
			left = m->thread;
	}
	return got && left < run->n ? ran_at(&run->thread[left], from, to) : 0;
}

unsigned sd_wait_holder_node(const struct sd_timeline *t, const struct sd_thread_lanes_run *run,
	const struct sd_thread_lanes_thread *lane, uint64_t from, uint64_t to)
{
	for (int k = 0; k < CONVOY; k++) {
		const struct sd_thread_lanes_thread *const by = waker_of(t, run, lane, to);
		const struct sd_thread_lanes_span *const wait =
			by ? longest_wait(by, from, to) : NULL;

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
		return ran_at(by, from, to);
	}
	return 0;
}
