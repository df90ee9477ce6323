#include "attribute/lane_spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#define NOWHERE UINT64_MAX

/* Activity of a thread that has begun and not ended. */
struct open {
	uint64_t since;   /* NOWHERE: not known what it does */
	uint64_t sampled; /* on a CPU: until then it is known what it did */
	enum sd_activity activity;
	unsigned node, lock;
	int running;
	int known; /* by a sample since it came */
};

struct walk {
	const struct sd_timeline *t;
	struct sd_thread_lanes_run *out;
	struct open *open; /* one a thread */
	size_t gap;        /* the first that is not over */
	int shut;          /* in it */
	int failed;        /* -errno */
};

static uint64_t since_start(const struct walk *w, uint64_t time)
{
	if (time > w->t->end)
		time = w->t->end;
	return time > w->t->start ? time - w->t->start : 0;
}

/* Appends what the thread did until `to`, or lengthens the last span that is of the same kind. */
static void put_span(struct walk *w, unsigned number, uint64_t to, enum sd_activity activity)
{
	struct sd_thread_lanes_thread *const lane = &w->out->thread[number];
	struct open *const o = &w->open[number];
	struct sd_thread_lanes_span *last = lane->n_span ? &lane->span[lane->n_span - 1] : NULL;

	if (o->since == NOWHERE || to <= o->since)
		return;
	if (o->running && last && last->to == o->since && last->activity == activity) {
		last->to = to;
	} else {
		if (SD_APPEND(lane->span, lane->n_span,
			    &(struct sd_thread_lanes_span){.from = o->since,
				    .to = to,
				    .activity = activity,
				    .node = o->node,
				    .lock = o->lock,
				    .merged = 1})) {
			w->failed = -ENOMEM;
			return;
		}
	}
	o->since = to;
}

/* Stretches a thread's last sample by its weight, until `time` at most, and adds that span. */
static void put_tail(struct walk *w, unsigned number, uint64_t time)
{
	struct sd_thread_lanes_thread *const lane = &w->out->thread[number];
	struct sd_thread_lanes_sample *last;

	if (!w->open[number].known || !lane->n_sample)
		return;
	last = &lane->sample[lane->n_sample - 1];
	last->to = time - last->time < last->weight ? time : last->time + last->weight;
	put_span(w, number, last->to, last->activity);
}

/* The thread stops what it is in the middle of. */
static void close_span(struct walk *w, unsigned number, uint64_t time)
{
	struct open *const o = &w->open[number];

	put_tail(w, number, time);
	put_span(w, number, time, o->running ? SD_THREAD_LANES_ON_CPU : o->activity);
	*o = (struct open){.since = NOWHERE, .sampled = NOWHERE};
}

static void begin_wait(
	struct walk *w, unsigned number, uint64_t time, enum sd_activity activity, unsigned node)
{
	close_span(w, number, time);
	w->open[number] = (struct open){
		.since = time, .sampled = NOWHERE, .activity = activity, .node = node};
}

static void begin_run(struct walk *w, unsigned number, uint64_t time)
{
	close_span(w, number, time);
	w->open[number] = (struct open){.since = time, .sampled = time, .running = 1};
}

static void take_sample(struct walk *w, const struct sd_moment *m, uint64_t time)
{
	struct sd_thread_lanes_thread *const lane = &w->out->thread[m->thread];
	struct open *const o = &w->open[m->thread];
	uint64_t from = time > m->weight ? time - m->weight : 0;

	if (!w->shut && !o->running)
		begin_run(w, m->thread, time);
	if (!w->shut && from < o->sampled)
		from = o->sampled < time ? o->sampled : time;
	if (SD_APPEND(lane->sample, lane->n_sample,
		    &(struct sd_thread_lanes_sample){.from = from,
			    .to = time,
			    .time = time,
			    .weight = m->weight,
			    .node = m->node,
			    .activity = m->activity}))
		w->failed = -ENOMEM;
	if (w->shut || w->failed)
		return;
	put_span(w, m->thread, time, m->activity);
	o->sampled = time;
	o->known = 1;
}

/* Closes and opens lanes at the gaps in the recording that begin or end before `time`, ns. */
static void cross_gaps(struct walk *w, uint64_t time)
{
	for (; w->gap < w->t->n_gap; w->gap++) {
		const struct sd_gap *const g = &w->t->gap[w->gap];

		if (time < g->from)
			return;
		for (unsigned i = 0; !w->shut && i < w->t->n_thread; i++)
			close_span(w, i, since_start(w, g->from));
		w->shut = 1;
		if (time < g->to)
			return;
		w->shut = 0;
	}
}

static void take_switch(struct walk *w, const struct sd_moment *m, uint64_t time)
{
	switch (m->kind) {
	case SD_MOMENT_OUT:
		begin_wait(w, m->thread, time, m->activity, m->node);
		if (m->lock && m->lock <= w->t->n_place)
			w->open[m->thread].lock = w->t->place[m->lock - 1].name;
		break;
	case SD_MOMENT_PUSHED:
		begin_wait(w, m->thread, time, SD_ACTIVITY_RUNNABLE, m->node);
		break;
	case SD_MOMENT_IN:
		begin_run(w, m->thread, time);
		break;
	case SD_MOMENT_WAKE:
		if (m->other < w->t->n_thread && w->open[m->other].since != NOWHERE &&
			!w->open[m->other].running)
			begin_wait(w, m->other, time, SD_ACTIVITY_RUNNABLE, 0);
		break;
	case SD_MOMENT_BORN:
		begin_wait(w, m->thread, time, SD_ACTIVITY_RUNNABLE, 0);
		break;
	default:
		close_span(w, m->thread, time);
	}
}

/* Were switches recorded? Samples alone do not tell how long a thread ran. */
static int knows_switches(const struct sd_timeline *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->moment[i].kind == SD_MOMENT_IN || t->moment[i].kind == SD_MOMENT_OUT)
			return 1;
	return 0;
}

static void walk(struct walk *w)
{
	const int blind = !knows_switches(w->t);

	for (size_t i = 0; i < w->t->n && !w->failed; i++) {
		const struct sd_moment *const m = &w->t->moment[i];
		const uint64_t time = since_start(w, m->time);

		cross_gaps(w, m->time);
		w->shut |= blind;
		if (m->thread >= w->t->n_thread)
			continue;
		if (m->kind == SD_MOMENT_SAMPLE)
			take_sample(w, m, time);
		else if (!w->shut)
			take_switch(w, m, time);
	}
	cross_gaps(w, w->t->end);
	for (unsigned i = 0; i < w->t->n_thread && !w->failed; i++)
		close_span(w, i, since_start(w, w->t->end));
}

static size_t n_spans(const struct sd_thread_lanes_run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->thread[i].n_span;
	return n;
}

/* Neighbours without time between them, each shorter than `finest`, become one span of what took
 * most of its time, as far as two at a time tell. */
static void merge_lane(struct sd_thread_lanes_thread *lane, uint64_t finest)
{
	uint64_t most = 0; /* ns of the activity that the last span has */
	size_t n = 0;

	for (size_t i = 0; i < lane->n_span; i++) {
		const struct sd_thread_lanes_span s = lane->span[i];
		struct sd_thread_lanes_span *const last = n ? &lane->span[n - 1] : NULL;
		const uint64_t length = s.to - s.from;

		if (!last || last->to != s.from || length >= finest ||
			(last->merged == 1 && last->to - last->from >= finest) ||
			last->to - last->from >= 8 * finest) {
			lane->span[n++] = s;
			most = length;
			continue;
		}
		if (s.activity == last->activity) {
			most += length;
		} else if (length > most) {
			last->activity = s.activity;
			last->node = s.node;
			last->lock = s.lock;
			most = length;
		}
		last->to = s.to;
		last->merged += s.merged;
	}
	lane->n_span = n;
}

static void merge(struct sd_thread_lanes_run *r, size_t most)
{
	for (uint64_t finest = 1000; n_spans(r) > most && finest < r->length; finest *= 2) {
		for (size_t i = 0; i < r->n; i++)
			merge_lane(&r->thread[i], finest);
		r->finest = finest;
	}
}

static int copy_gaps(const struct walk *w)
{
	struct sd_thread_lanes_run *const out = w->out;

	out->gap = calloc(w->t->n_gap + 1, sizeof *out->gap);
	if (!out->gap)
		return -ENOMEM;
	for (; out->n_gap < w->t->n_gap; out->n_gap++) {
		out->gap[out->n_gap].from = since_start(w, w->t->gap[out->n_gap].from);
		out->gap[out->n_gap].to = since_start(w, w->t->gap[out->n_gap].to);
	}
	return 0;
}

int sd_lane_spans_make(const struct sd_timeline *t, size_t most, struct sd_thread_lanes_run *out)
{
	struct walk w = {.t = t, .out = out};

	*out = (struct sd_thread_lanes_run){.length = t->end > t->start ? t->end - t->start : 0};
	out->thread = calloc(t->n_thread + 1, sizeof *out->thread);
	w.open = calloc(t->n_thread + 1, sizeof *w.open);
	if (!out->thread || !w.open || copy_gaps(&w) < 0) {
		free(w.open);
		return -ENOMEM;
	}
	out->n = t->n_thread;
	for (size_t i = 0; i < t->n_thread; i++) {
		out->thread[i].pid = t->thread[i].pid;
		out->thread[i].tid = t->thread[i].tid;
		memcpy(out->thread[i].name, t->thread[i].name, sizeof out->thread[i].name);
		w.open[i] = (struct open){.since = NOWHERE, .sampled = NOWHERE};
	}
	walk(&w);
	if (!w.failed)
		merge(out, most);
	free(w.open);
	return w.failed;
}
