#include "threads/replay.h"

#include <string.h>

/* Events ahead whose memory is prefetched (sim_machine_expect). */
#define LATER 16
#define SOON 8

/* Replays events of one thread whose time is at most `last` and below `until`. Those of one
 * instruction follow each other: the core has the line before it is asked to give it up. */
static void replay_thread(struct sim_run *r, struct sim_thread *t, uint64_t last, uint64_t until)
{
	const struct sim_thread *const *const all = (const struct sim_thread *const *)r->thread;

	while (t->next < t->n_event) {
		const uint64_t time = t->event[t->next].time;
		uint64_t cycles = 0;

		if (time + t->stall > last || time + t->stall >= until)
			return;
		for (; t->next < t->n_event && t->event[t->next].time == time; t->next++) {
			if (t->next + LATER < t->n_event)
				sim_machine_expect(&r->machine, t, &t->event[t->next + LATER],
					&t->event[t->next + SOON]);
			cycles += sim_machine_event(&r->machine, t, &t->event[t->next], all);
		}
		t->stall += cycles;
	}
}

uint64_t sim_replay_next(const struct sim_thread *t)
{
	return t->next < t->n_event ? t->event[t->next].time + t->stall : UINT64_MAX;
}

void sim_replay(struct sim_run *r, uint64_t until)
{
	struct sim_thread *list[SIM_SLOTS * 2];
	size_t n = 0;

	for (size_t i = 0; i < r->n_thread && n < sizeof list / sizeof list[0]; i++)
		if (r->thread[i]->next < r->thread[i]->n_event)
			list[n++] = r->thread[i];
	for (;;) {
		uint64_t first = UINT64_MAX, second = UINT64_MAX;
		size_t at = 0;

		for (size_t i = 0; i < n; i++) {
			const uint64_t time = sim_replay_next(list[i]);

			if (time < first) {
				second = first;
				first = time;
				at = i;
			} else if (time < second) {
				second = time;
			}
		}
		if (first >= until)
			break;
		replay_thread(r, list[at], second, until);
	}
	for (size_t i = 0; i < n; i++) {
		struct sim_thread *const t = list[i];

		/* not every time: a thread far ahead has long lists of what is to come */
		if (t->next < t->n_event - t->next)
			continue;
		memmove(t->event, t->event + t->next, (t->n_event - t->next) * sizeof *t->event);
		t->n_event -= t->next;
		t->next = 0;
	}
}
