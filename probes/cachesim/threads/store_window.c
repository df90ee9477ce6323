#include "threads/store_window.h"

uint64_t sim_window_wait(
	const struct sim_machine *m, const struct sim_thread *t, const struct sim_event *e)
{
	const struct sim_pending *const p = &t->pending;
	const uint64_t now = e->time + t->stall;

	return p->done > now && e->time > p->first + m->o->instructions ? p->done - now : 0;
}

static void note(
	struct sim_recent list[SIM_RECENT], unsigned *n, const struct sim_event *e, uint64_t line)
{
	list[(*n)++ % SIM_RECENT] =
		(struct sim_recent){.line1 = line + 1, .time = e->time, .address = e->address};
}

void sim_window_store(struct sim_thread *t, const struct sim_event *e, uint64_t line)
{
	note(t->written, &t->n_written, e, line);
}

/* Is the line in the list, within the window before this access? `same`: the same address of it. */
static int is_recent(const struct sim_machine *m, const struct sim_recent list[SIM_RECENT],
	const struct sim_event *e, uint64_t line, int same)
{
	for (unsigned i = 0; i < SIM_RECENT; i++)
		if (list[i].line1 == line + 1 && e->time - list[i].time <= m->o->instructions &&
			(!same || list[i].address == e->address))
			return 1;
	return 0;
}

void sim_window_behind(
	struct sim_thread *t, const struct sim_event *e, uint64_t now, const struct sim_arrival *a)
{
	if (t->pending.done <= now)
		t->pending.first = e->time;
	if (a->until <= t->pending.done)
		return;
	t->pending.done = a->until;
	t->pending.why = a->why;
}

void sim_window_miss(struct sim_thread *t, const struct sim_event *e, uint64_t line)
{
	note(t->missed, &t->n_missed, e, line);
}

int sim_window_missed(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line)
{
	return is_recent(m, t->missed, e, line, 0);
}

int sim_window_has_store(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line, uint64_t now)
{
	return t->pending.done > now && is_recent(m, t->written, e, line, 0);
}

int sim_window_forwards(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line)
{
	return !e->store && is_recent(m, t->written, e, line, 1);
}

int sim_window_writes(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line)
{
	return !e->store && !e->locked && is_recent(m, t->written, e, line, 0);
}
