#include "trace/foreign_time.h"

#include <stdlib.h>

#include "base/one_more.h"

int sd_foreign_time_add(struct sd_foreign_time *s)
{
	return SD_APPEND(s->on, s->n, &(struct sd_stranger){0});
}

void sd_foreign_time_forget(struct sd_foreign_time *s)
{
	s->n = s->n_gap = 0;
	s->ns = 0;
	sd_kernel_threads_free(&s->kernel);
}

int sd_foreign_time_shut(struct sd_foreign_time *s, uint64_t time)
{
	return SD_APPEND(s->gap, s->n_gap, &(struct sd_gap){.from = time});
}

void sd_foreign_time_open(struct sd_foreign_time *s, uint64_t time)
{
	if (s->n_gap)
		s->gap[s->n_gap - 1].to = time;
}

static void ran(struct sd_foreign_time *s, int tid, uint64_t ns)
{
	s->ns += ns;
	sd_kernel_threads_ran(&s->kernel, tid, ns);
}

/* Ends the time of the thread that was on the CPU when a gap began: it may have left since. */
static void meet_gaps(struct sd_foreign_time *s, struct sd_stranger *on, uint64_t time)
{
	for (; on->gap < s->n_gap && s->gap[on->gap].from < time; on->gap++) {
		const uint64_t from = s->gap[on->gap].from;

		if (on->tid && from > on->since)
			ran(s, on->tid, from - on->since);
		on->tid = 0;
	}
}

/* Since when one that leaves the CPU has been on it, as far as that is known: since it came, or
 * since the end of the gap that it may have come in. */
static uint64_t came(
	const struct sd_foreign_time *s, const struct sd_stranger *on, const struct sd_event *e)
{
	const uint64_t opened = on->gap ? s->gap[on->gap - 1].to : 0;

	if (on->tid)
		return on->tid == e->tid ? on->since : e->time;
	return opened > on->at && opened < e->time ? opened : e->time;
}

void sd_foreign_time_event(
	struct sd_foreign_time *s, size_t cpu, const struct sd_event *e, int own, pid_t self)
{
	struct sd_stranger *const on = &s->on[cpu];
	const int strange = !own && e->tid && e->pid != self;

	if (e->kind == SD_EVENT_WAKE && e->tid) /* else an interrupt woke it */
		sd_kernel_threads_woken(&s->kernel, e->other, own ? 0 : e->tid);
	if (e->kind != SD_EVENT_SWITCH_OUT && e->kind != SD_EVENT_SWITCH_IN)
		return;
	meet_gaps(s, on, e->time);
	if (e->kind == SD_EVENT_SWITCH_OUT && strange)
		ran(s, e->tid, e->time - came(s, on, e));
	on->tid = e->kind == SD_EVENT_SWITCH_IN && strange ? e->tid : 0;
	on->since = on->at = e->time;
}

void sd_foreign_time_free(struct sd_foreign_time *s)
{
	free(s->on);
	free(s->gap);
	sd_kernel_threads_free(&s->kernel);
	*s = (struct sd_foreign_time){0};
}
