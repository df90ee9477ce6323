#include "requests/request_split.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/code_place.h"
#include "base/one_more.h"
#include "requests/lane_index.h"
#include "requests/wait_holder.h"

#define SLOW_LEAST 5u /* requests */
#define GROUP_MOST 1024u

/* Time of one request at one place, ns. */
struct piece {
	enum sd_request_part part;
	unsigned node, lock, holder;
	int sampled; /* ns are samples' weights, of time on a CPU */
	double ns;
};

struct split {
	const struct sd_request_split *of;
	struct sd_lane_index lanes;
	struct piece *piece; /* owned; of the group that is added up */
	size_t n_piece;
	struct sd_request_run *out;
	struct sd_request_place *place; /* owned; of both groups */
	size_t n_place;
	int failed; /* -errno */
};

static enum sd_request_part part_of(enum sd_activity activity)
{
	static const enum sd_request_part of_wait[] = {
		[SD_WAIT_LOCK] = SD_REQUEST_LOCK,
		[SD_WAIT_SYNC] = SD_REQUEST_SYNC,
		[SD_WAIT_JOIN] = SD_REQUEST_SYNC,
		[SD_WAIT_DISK] = SD_REQUEST_DISK,
		[SD_WAIT_SLEEP] = SD_REQUEST_SLEEP,
		[SD_WAIT_POLL] = SD_REQUEST_SLEEP,
		[SD_WAIT_PIPE] = SD_REQUEST_IO,
		[SD_WAIT_NETWORK] = SD_REQUEST_IO,
		[SD_WAIT_KERNEL] = SD_REQUEST_LOCK,
		[SD_WAIT_TASK] = SD_REQUEST_SYNC,
		[SD_WAIT_UNKNOWN] = SD_REQUEST_UNKNOWN,
	};

	switch (activity) {
	case SD_ACTIVITY_SPIN_LOCK:
	case SD_ACTIVITY_KERNEL_LOCKING:
		return SD_REQUEST_LOCK;
	case SD_ACTIVITY_KERNEL_FAULT:
	case SD_ACTIVITY_KERNEL_ZEROING:
	case SD_ACTIVITY_KERNEL_MMAP_LOCK:
	case SD_ACTIVITY_KERNEL_SHOOTDOWN:
		return SD_REQUEST_FAULT;
	case SD_ACTIVITY_RUNNABLE:
		return SD_REQUEST_RUN_QUEUE;
	default:
		break;
	}
	switch (sd_activity_info[activity].group) {
	case SD_GROUP_SPINNING:
		return SD_REQUEST_SPIN;
	case SD_GROUP_KERNEL:
		return SD_REQUEST_KERNEL;
	case SD_GROUP_WAITING:
		return of_wait[sd_activity_info[activity].wait];
	default:
		return SD_REQUEST_WORK;
	}
}

/* The innermost of its callers, or itself, that has a source line; else it. */
static unsigned own_node(const struct sd_stacks *s, unsigned node)
{
	for (unsigned at = node; at > 0 && at < s->n_node;) {
		const struct sd_node *const n = &s->node[at];
		const struct sd_frame *const f = n->frame < s->n_frame ? &s->frame[n->frame] : NULL;

		if (f && !f->kernel && f->function && f->file)
			return at;
		at = n->parent < at ? n->parent : 0;
	}
	return node;
}

/* ---- one wait -------------------------------------------------------------------------------- */

static void add_piece(struct split *s, struct piece p)
{
	if (p.node && sd_code_place_in_collector(s->of->stacks, p.node))
		p.part = SD_REQUEST_COLLECTOR;
	p.node = own_node(s->of->stacks, p.node);
	p.holder = own_node(s->of->stacks, p.holder);
	if (p.ns > 0 && SD_APPEND(s->piece, s->n_piece, &p))
		s->failed = -ENOMEM;
}

static void add_wait(struct split *s, const struct sd_thread_lanes_thread *lane,
	const struct sd_thread_lanes_span *span, uint64_t from, uint64_t to)
{
	struct piece p = {.part = part_of(span->activity),
		.node = span->node,
		.lock = span->lock,
		.ns = (double)(to - from)};
	double quota;

	if (p.part == SD_REQUEST_LOCK || p.part == SD_REQUEST_SYNC)
		p.holder = sd_wait_holder_node(
			s->of->timeline, s->of->lanes, lane, span->from, span->to);
	if (p.part == SD_REQUEST_RUN_QUEUE)
		p.holder = sd_wait_holder_runner(
			s->of->timeline, s->of->lanes, lane, span->from, span->to);
	/* as at a safepoint: all others wait until it is done */
	if (p.holder && sd_code_place_in_collector(s->of->stacks, p.holder))
		p.part = SD_REQUEST_COLLECTOR;
	if (p.part == SD_REQUEST_RUN_QUEUE && s->of->throttled) {
		quota = sd_lane_index_idle(&s->lanes, from, to);
		add_piece(s, (struct piece){.part = SD_REQUEST_THROTTLED, .ns = quota * p.ns});
		p.ns *= 1 - quota;
	}
	add_piece(s, p);
}

/* ---- a group --------------------------------------------------------------------------------- */

/* Adds one request. Returns the ns that it was on a CPU; negative: its thread is not known. */
static double add_request(struct split *s, const struct sd_request_entry *e)
{
	const uint64_t start = s->of->timeline->start, from = e->from > start ? e->from - start : 0,
		       to = e->to > start ? e->to - start : 0;
	const struct sd_thread_lanes_thread *const lane =
		sd_lane_index_find(&s->lanes, e->tid, from, to);
	double cpu = 0, known = 0;

	if (!lane)
		return -1;
	for (size_t i = sd_lane_index_span(lane, from); i < lane->n_span && lane->span[i].from < to;
		i++) {
		const struct sd_thread_lanes_span *const p = &lane->span[i];
		const uint64_t since = p->from > from ? p->from : from,
			       until = p->to < to ? p->to : to;

		known += (double)(until - since);
		if (sd_lane_index_waits(p))
			add_wait(s, lane, p, since, until);
		else
			cpu += (double)(until - since);
	}
	for (size_t i = sd_lane_index_sample(lane, from);
		i < lane->n_sample && lane->sample[i].time < to; i++)
		add_piece(s, (struct piece){.part = part_of(lane->sample[i].activity),
				     .node = lane->sample[i].node,
				     .sampled = 1,
				     .ns = (double)lane->sample[i].weight});
	add_piece(s, (struct piece){.part = SD_REQUEST_UNKNOWN, .ns = (double)(to - from) - known});
	return cpu;
}

static int by_place(const void *a, const void *b)
{
	const struct piece *const x = a, *const y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->lock > y->lock) - (x->lock < y->lock);
}

static void add_place(struct split *s, enum sd_request_speed speed, const struct piece *p,
	double ns, unsigned holder)
{
	size_t i = 0;

	while (i < s->n_place && (s->place[i].part != p->part || s->place[i].node != p->node ||
					 s->place[i].lock != p->lock))
		i++;
	if (i == s->n_place &&
		SD_APPEND(s->place, s->n_place,
			&(struct sd_request_place){
				.part = p->part, .node = p->node, .lock = p->lock})) {
		s->failed = -ENOMEM;
		return;
	}
	s->place[i].s[speed] += ns * 1e-9;
	if (speed == SD_REQUESTS_SLOW)
		s->place[i].holder = holder;
}

/* Time on CPUs is exact, and is divided as the samples are. Without any it is its own code's. */
static void total_group(struct split *s, enum sd_request_speed speed, double cpu)
{
	struct sd_request_group *const g = &s->out->group[speed];
	double sampled = 0, scale;

	for (size_t i = 0; i < s->n_piece; i++)
		sampled += s->piece[i].sampled ? s->piece[i].ns : 0;
	if (!(sampled > 0))
		g->part[SD_REQUEST_WORK] += cpu * 1e-9 / g->requests;
	scale = sampled > 0 ? cpu / sampled : 0;
	if (s->n_piece)
		qsort(s->piece, s->n_piece, sizeof *s->piece, by_place);
	for (size_t i = 0, next; i < s->n_piece; i = next) {
		double all = 0, longest = 0;
		unsigned holder = 0;

		for (next = i; next < s->n_piece && !by_place(&s->piece[i], &s->piece[next]);
			next++) {
			const struct piece *const p = &s->piece[next];

			all += p->sampled ? p->ns * scale : p->ns;
			if (p->holder && p->ns > longest) {
				longest = p->ns;
				holder = p->holder;
			}
		}
		g->part[s->piece[i].part] += all * 1e-9 / g->requests;
		add_place(s, speed, &s->piece[i], all / g->requests, holder);
	}
}

/* Adds requests in order of their time, evenly chosen where they are too many. */
static void add_group(struct split *s, enum sd_request_speed speed,
	const struct sd_request_entry *entry, size_t n)
{
	struct sd_request_group *const g = &s->out->group[speed];
	const size_t most = n < GROUP_MOST ? n : GROUP_MOST;
	double cpu = 0;

	s->n_piece = 0;
	for (size_t i = 0; i < most; i++) {
		const struct sd_request_entry *const e = &entry[i * n / most];
		const double ran = add_request(s, e);

		if (ran < 0) {
			s->out->unseen++;
			continue;
		}
		cpu += ran;
		g->requests++;
		g->took += (double)(e->to - e->from) * 1e-9;
	}
	if (!(g->requests > 0))
		return;
	g->took /= g->requests;
	total_group(s, speed, cpu);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int slowest_first(const void *a, const void *b)
{
	const struct sd_request_entry *const x = a, *const y = b;
	const uint64_t p = x->to - x->from, q = y->to - y->from;

	return p != q ? (p < q ? 1 : -1) : (x->from > y->from) - (x->from < y->from);
}

static int most_first(const void *a, const void *b)
{
	const struct sd_request_place *const x = a, *const y = b;
	const double p = x->s[SD_REQUESTS_SLOW], q = y->s[SD_REQUESTS_SLOW];

	if (p != q)
		return p < q ? 1 : -1;
	return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
				  : (x->lock > y->lock) - (x->lock < y->lock);
}

static void keep_places(struct split *s)
{
	if (!s->n_place)
		return;
	qsort(s->place, s->n_place, sizeof *s->place, most_first);
	for (size_t i = 0; i < s->n_place && i < SD_REQUEST_PLACES; i++)
		if (s->place[i].s[SD_REQUESTS_SLOW] > 0)
			s->out->place[i] = s->place[i];
}

static void compare(struct split *s, struct sd_region_run *r)
{
	const size_t n = r->n_entry, share = (n + 99) / 100;

	if (n < SD_REQUESTS_LEAST) {
		s->out->state = SD_REQUESTS_FEW;
		return;
	}
	qsort(r->entry, n, sizeof *r->entry, slowest_first);
	add_group(s, SD_REQUESTS_SLOW, r->entry, share > SLOW_LEAST ? share : SLOW_LEAST);
	add_group(s, SD_REQUESTS_TYPICAL, r->entry + n * 2 / 5, n / 5);
	s->out->state = s->out->group[SD_REQUESTS_SLOW].requests < SLOW_LEAST ||
					s->out->group[SD_REQUESTS_TYPICAL].requests < SLOW_LEAST
				? SD_REQUESTS_FEW
				: SD_REQUESTS_COMPARED;
	keep_places(s);
}

int sd_request_split_fill(const struct sd_request_split *of, struct sd_region_run *r)
{
	struct split s = {.of = of, .out = r->requests};
	int rc = sd_lane_index_make(&s.lanes, of->lanes);

	if (!rc && s.lanes.n)
		compare(&s, r);
	sd_lane_index_free(&s.lanes);
	free(s.piece);
	free(s.place);
	return rc ? rc : s.failed;
}
