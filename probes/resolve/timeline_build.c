#include "resolve/timeline_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/event_regs.h"
#include "resolve/known_waits.h"
#include "resolve/stack_activity.h"
#include "resolve/wait_reason.h"
#include "trace/timeline_parts.h"

/* ns between a thread's end and the wake-up of the thread that joins it; kernels report either
 * first. */
#define ON_THE_WAY_OUT UINT64_C(1000000)

struct sd_timeline_build_thread {
	struct sd_known_waits known;
	uint32_t stack; /* of the wait that it is in; 0 unknown */
	size_t out;     /* the moment + 1 at which it left its CPU; 0: it has not */
	int bare;       /* without a stack */
	int early;      /* it had such waits before its first known one */
	/* of sd_timeline_build_end, which goes backwards: when it came back, and ended; 0 it did
	 * not. And whether one that ended woke it then. */
	uint64_t back, ended;
	int joins;
	int gone;            /* it has ended */
	uint64_t maybe_lock; /* of sd_wait_classes_again */
};

static struct sd_timeline_build_thread *thread_of(struct sd_timeline_build *h, unsigned number)
{
	size_t room = h->room ? h->room : 64;
	struct sd_timeline_build_thread *grown;

	while (room <= number)
		room *= 2;
	if (room > h->room) {
		grown = reallocarray(h->thread, room, sizeof *grown);
		if (!grown)
			return NULL;
		memset(grown + h->room, 0, (room - h->room) * sizeof *grown);
		h->thread = grown;
		h->room = room;
	}
	return &h->thread[number];
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* It may have returned and left again while nothing was recorded: the length is unknown. */
static void liken_to_last(const struct sd_timeline_build_thread *t, struct sd_moment *m)
{
	if (t->bare)
		(void)sd_known_waits_like_last(&t->known, m);
}

static int leaves(struct sd_timeline_build *h, const struct sd_event *e, struct sd_moment *m)
{
	struct sd_timeline_build_thread *const t = thread_of(h, m->thread);
	const int bare = e->regs.mask == 0 && e->n_chain == 0 && e->ip == 0;

	if (!t)
		return -ENOMEM;
	if (t->out && h->timeline->n_gap)
		liken_to_last(t, &h->timeline->moment[t->out - 1]);
	t->out = 0;
	if (e->preempted) {
		m->kind = SD_MOMENT_PUSHED;
		m->node = bare ? 0
			       : sd_stack_resolve_user(
					 h->placing, sd_stack_resolve_node(h->placing, e));
		return 0;
	}
	m->kind = SD_MOMENT_OUT;
	h->waits++;
	t->out = h->timeline->n + 1;
	t->stack = e->stack_id;
	m->activity = SD_ACTIVITY_UNKNOWN;
	t->bare = bare && !sd_known_waits_like_stack(&t->known, m, t->stack);
	h->bare += t->bare != 0;
	if (bare)
		return 0;
	return sd_wait_reason_find(h->placing, h->timeline, e, m, &t->maybe_lock);
}

/* It is seen in the wait that it left its CPU for. */
static int seen(struct sd_timeline_build *h, const struct sd_event *e, unsigned number)
{
	struct sd_timeline_build_thread *const t = thread_of(h, number);
	int rc;

	if (!t)
		return -ENOMEM;
	if (!t->out || !(t->bare || t->stack))
		return 0;
	h->bare -= t->bare != 0;
	t->bare = 0;
	rc = sd_wait_reason_find(
		h->placing, h->timeline, e, &h->timeline->moment[t->out - 1], &t->maybe_lock);
	if (!rc)
		sd_known_waits_learn(&t->known, t->stack, &h->timeline->moment[t->out - 1]);
	return rc;
}

static int was_shut_since(const struct sd_timeline *t, uint64_t time)
{
	return t->n_gap && t->gap[t->n_gap - 1].to > time;
}

/* It is back: how long it waited is known now. */
static int comes(struct sd_timeline_build *h, const struct sd_event *e, unsigned number)
{
	struct sd_timeline_build_thread *const t = thread_of(h, number);
	struct sd_moment *m;
	uint64_t length;

	if (!t)
		return -ENOMEM;
	if (!t->out)
		return 0;
	m = &h->timeline->moment[t->out - 1];
	length = e->time - m->time + 1;
	t->out = 0;
	if (was_shut_since(h->timeline, m->time)) {
		liken_to_last(t, m);
		return 0;
	}
	if (!t->bare) {
		sd_known_waits_add(&t->known, m, length);
		return 0;
	}
	if (t->known.n)
		(void)sd_known_waits_like_length(&t->known, m, length);
	else
		t->early = 1;
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

static int sampled(struct sd_timeline_build *h, const struct sd_event *e, struct sd_moment *m)
{
	m->kind = SD_MOMENT_SAMPLE;
	m->weight = e->weight;
	m->ip = sd_event_regs_ip(e);
	m->sp = sd_event_regs_sp(e);
	m->node = sd_stack_resolve_node(h->placing, e);
	m->activity = sd_stack_activity(h->placing, m->node, 0);
	/* a scheduler that looks for another task spins for what its last task waits for */
	if (m->activity == SD_ACTIVITY_SPIN_OTHER) {
		const enum sd_activity a = sd_stack_activity(
			h->placing, sd_stack_activity_task(h->placing, m->node), 0);

		if (sd_activity_info[a].group == SD_GROUP_SPINNING)
			m->activity = a;
	}
	return 0;
}

static void named(struct sd_timeline_build *h, const struct sd_event *e, unsigned number)
{
	char *const name = h->timeline->thread[number].name;

	snprintf(name, sizeof h->timeline->thread->name, "%s", e->name ? e->name : "");
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
}

static int born(struct sd_timeline_build *h, const struct sd_event *e, struct sd_moment *m)
{
	struct sd_timeline *const t = h->timeline;
	unsigned parent = 0;
	int ppid = e->pid == e->tid ? e->other : 0, rc = 0;

	if (e->pid != e->tid) {
		rc = sd_timeline_thread(t, e->pid, e->pid, &parent);
		ppid = rc ? 0 : t->thread[parent].ppid;
	}
	if (!rc)
		rc = sd_timeline_born(t, e->pid, e->tid, ppid, &m->thread);
	if (!rc) {
		memcpy(t->thread[m->thread].name, t->thread[parent].name, sizeof t->thread->name);
		m->kind = SD_MOMENT_BORN;
	}
	return rc;
}

static int is_turn(enum sd_event_kind kind)
{
	return kind == SD_EVENT_SWITCH_OUT || kind == SD_EVENT_SWITCH_IN || kind == SD_EVENT_WAKE;
}

/* Takes from the recorder what it says once the run is over. */
static int note(struct sd_timeline_build *h, const struct sd_event *e)
{
	if (e->kind == SD_EVENT_PART)
		return sd_timeline_parts_add(h->timeline, e->address, e->count);
	if (e->kind == SD_EVENT_END) {
		h->timeline->end = e->time;
		h->ended = 1;
		snprintf(h->boot, sizeof h->boot, "%s", e->name);
		return 0;
	}
	if (h->n_barrier == SD_TIMELINE_BUILD_BARRIERS || e->count > SD_LIBGOMP_BARRIER_DOCK)
		return 0;
	h->barrier[h->n_barrier].pid = e->pid;
	h->barrier[h->n_barrier].address = e->address;
	h->barrier[h->n_barrier++].gomp = (enum sd_libgomp_barrier)e->count;
	return 0;
}

/* Ignores the lowest three bits of a futex; the first one found counts. */
static void name_barriers(const struct sd_timeline_build *h)
{
	for (unsigned i = h->n_barrier; i-- > 0;)
		for (size_t k = 0; k < h->timeline->n_place; k++) {
			struct sd_timeline_place *const p = &h->timeline->place[k];

			if (p->pid == h->barrier[i].pid && (p->address ^ h->barrier[i].address) < 8)
				p->gomp = h->barrier[i].gomp;
		}
}

int sd_timeline_build_event(void *ctx, const struct sd_event *e)
{
	struct sd_timeline_build *const h = ctx;
	struct sd_moment m = {.time = e->time};
	struct sd_timeline_build_thread *t;
	int rc = sd_stack_resolve_event(h->placing, e);
	int late;

	if (rc)
		return rc;
	if (e->kind == SD_EVENT_LOST) {
		h->timeline->lost += e->count;
		return 0;
	}
	if (e->kind == SD_EVENT_BARRIER || e->kind == SD_EVENT_END || e->kind == SD_EVENT_PART)
		return note(h, e);
	if (e->kind == SD_EVENT_SHUT)
		return sd_timeline_shut(h->timeline, e->time);
	if (e->kind == SD_EVENT_OPEN)
		sd_timeline_open(h->timeline, e->time);
	/* at its borders recording is incomplete */
	if (e->kind == SD_EVENT_MAP || e->kind == SD_EVENT_DATA || e->kind == SD_EVENT_OPEN ||
		(is_turn(e->kind) && sd_timeline_is_shut(h->timeline, e->time)))
		return 0;
	if (e->kind == SD_EVENT_EXEC && e->pid == h->first && !h->timeline->start)
		h->timeline->start = e->time;
	if (e->kind == SD_EVENT_FORK)
		rc = born(h, e, &m);
	else
		rc = sd_timeline_thread(h->timeline, e->pid, e->tid, &m.thread);
	if (rc)
		return rc;
	t = thread_of(h, m.thread);
	if (!t)
		return -ENOMEM;
	/* Whole-CPU events show a thread for a few microseconds after its exit event, until its
	 * last switch. It ran there, but no longer counts as a thread that could wait or be ready.
	 * An exec by another thread gives it the first thread's tid. */
	if (e->kind == SD_EVENT_EXEC)
		t->gone = 0;
	late = t->gone;
	if (late && (e->kind == SD_EVENT_SWITCH_OUT || e->kind == SD_EVENT_SWITCH_IN ||
			    e->kind == SD_EVENT_SEEN || e->kind == SD_EVENT_EXIT))
		return 0;
	switch (e->kind) {
	case SD_EVENT_SAMPLE:
		rc = sampled(h, e, &m);
		break;
	case SD_EVENT_SWITCH_OUT:
		rc = leaves(h, e, &m);
		break;
	case SD_EVENT_SEEN:
		return seen(h, e, m.thread);
	case SD_EVENT_SWITCH_IN:
		m.kind = SD_MOMENT_IN;
		rc = comes(h, e, m.thread);
		break;
	case SD_EVENT_WAKE:
		m.kind = SD_MOMENT_WAKE;
		rc = sd_timeline_thread(h->timeline, e->pid, e->other, &m.other);
		break;
	case SD_EVENT_FORK:
		break;
	case SD_EVENT_EXIT:
		m.kind = SD_MOMENT_EXIT;
		t->gone = 1;
		break;
	case SD_EVENT_NAME:
		named(h, e, m.thread);
		return 0;
	default:
		return 0;
	}
	if (!rc)
		rc = sd_timeline_add(h->timeline, &m);
	if (rc || e->kind != SD_EVENT_SAMPLE)
		return rc;
	sd_sample_code_look(
		&h->code, h->placing->symbols, e, &h->timeline->moment[h->timeline->n - 1]);
	if (!late)
		return 0;
	m = (struct sd_moment){.time = e->time, .kind = SD_MOMENT_EXIT, .thread = m.thread};
	return sd_timeline_add(h->timeline, &m);
}

static int is_unknown(const struct sd_moment *m)
{
	return !m->node && m->activity == SD_ACTIVITY_UNKNOWN;
}

/* Is the wake-up one for the end of the thread that makes it? */
static int is_join(const struct sd_timeline_build *h, const struct sd_moment *m)
{
	const struct sd_timeline_thread *const who = h->timeline->thread;
	const struct sd_timeline_build_thread *const by = &h->thread[m->thread];
	const uint64_t apart = by->ended > m->time ? by->ended - m->time : m->time - by->ended;

	return by->ended && apart < ON_THE_WAY_OUT && who[m->thread].pid == who[m->other].pid;
}

/* Backwards: each wait's end is met first. */
void sd_timeline_build_end(struct sd_timeline_build *h)
{
	name_barriers(h);
	for (unsigned i = 0; i < h->room; i++)
		h->thread[i].back = h->thread[i].ended = 0;
	for (size_t i = 0; i < h->timeline->n; i++)
		if (h->timeline->moment[i].kind == SD_MOMENT_EXIT &&
			h->timeline->moment[i].thread < h->room)
			h->thread[h->timeline->moment[i].thread].ended =
				h->timeline->moment[i].time;
	for (size_t i = h->timeline->n; i-- > 0;) {
		struct sd_moment *const m = &h->timeline->moment[i];
		struct sd_timeline_build_thread *const t =
			m->thread < h->room ? &h->thread[m->thread] : NULL;

		if (!t)
			continue;
		if (m->kind == SD_MOMENT_WAKE && m->other < h->room)
			h->thread[m->other].joins = is_join(h, m);
		if (m->kind == SD_MOMENT_IN)
			t->back = m->time;
		if (m->kind != SD_MOMENT_OUT)
			continue;
		if (t->early && t->back && is_unknown(m))
			(void)sd_known_waits_like_length(&t->known, m, t->back - m->time + 1);
		if (t->joins && is_unknown(m))
			m->activity = SD_ACTIVITY_JOIN;
		t->back = 0;
		t->joins = 0;
	}
}

void sd_timeline_build_free(struct sd_timeline_build *h)
{
	free(h->thread);
	*h = (struct sd_timeline_build){0};
}
