#include "attribute/bin_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lane_steps.h"
#include "base/one_more.h"

#define BINS_LEAST 8u
#define STATES SD_BINNED_STATES

/* Time of a lane in a bin, ns, for each state that `used` has a bit for. */
_Static_assert(STATES <= 64, "a bit for each state");
struct bin {
	struct {
		uint64_t all, longest;
		unsigned node, lock; /* of the longest */
	} in[STATES];
};

struct cut {
	const struct sd_thread_lanes_run *run;
	const struct sd_stacks *stacks;
	const size_t *chosen; /* threads of the run, rising */
	struct bin *bin;      /* of one lane */
	uint64_t *used;       /* bits of each bin's states */
	struct sd_binned_lanes *out;
	size_t n_step; /* of all lanes */
	size_t most;
};

/* ---- one lane -------------------------------------------------------------------------------- */

static uint64_t edge(const struct cut *c, unsigned i)
{
	return (uint64_t)((double)c->out->length * i / c->out->bins);
}

static unsigned state_of(const struct sd_lane_step *s)
{
	switch (s->kind) {
	case SD_LANE_STEP_UNKNOWN:
		return SD_BINNED_NOT_THERE;
	case SD_LANE_STEP_ON_CPU:
		return SD_BINNED_ON_CPU;
	default:
		return s->activity < SD_ACTIVITY_COUNT ? (unsigned)s->activity : SD_BINNED_ON_CPU;
	}
}

static int add_step(void *ctx, const struct sd_lane_step *s)
{
	struct cut *const c = ctx;
	const unsigned state = state_of(s);
	unsigned i = (unsigned)((double)s->from * c->out->bins / (double)c->out->length);

	for (i -= i > 0; i < c->out->bins && edge(c, i) < s->to; i++) {
		const uint64_t from = s->from > edge(c, i) ? s->from : edge(c, i),
			       to = s->to < edge(c, i + 1) ? s->to : edge(c, i + 1);

		if (to <= from)
			continue;
		if (!(c->used[i] >> state & 1)) {
			c->used[i] |= UINT64_C(1) << state;
			memset(&c->bin[i].in[state], 0, sizeof c->bin[i].in[state]);
		}
		c->bin[i].in[state].all += to - from;
		if (to - from <= c->bin[i].in[state].longest)
			continue;
		c->bin[i].in[state].longest = to - from;
		c->bin[i].in[state].node = s->node;
		c->bin[i].in[state].lock = s->span ? s->span->lock : 0;
	}
	return 0;
}

/* The innermost function with a known source file, which libraries seldom have; else the innermost
 * outside the kernel. */
static unsigned own_function(const struct sd_stacks *s, unsigned node)
{
	unsigned other = 0;

	while (node > 0 && node < s->n_node) {
		const struct sd_node *const n = &s->node[node];
		const struct sd_frame *const f = n->frame < s->n_frame ? &s->frame[n->frame] : NULL;

		if (f && !f->kernel && f->function && f->file)
			return f->function;
		if (f && !f->kernel && !other)
			other = f->function;
		node = n->parent < node ? n->parent : 0;
	}
	return other;
}

static struct sd_binned_doing doing_of(const struct cut *c, const struct bin *b, uint64_t used)
{
	unsigned most = SD_BINNED_NOT_THERE;

	if (!used)
		return (struct sd_binned_doing){.state = SD_BINNED_NOT_THERE};
	if (!(used >> most & 1))
		most = (unsigned)__builtin_ctzll(used);
	for (uint64_t left = used; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(left);

		if (b->in[i].all > b->in[most].all)
			most = i;
	}
	return (struct sd_binned_doing){
		.state = most,
		.function = own_function(c->stacks, b->in[most].node),
		.lock = b->in[most].lock < c->stacks->n_text ? b->in[most].lock : 0,
	};
}

static int number_of(struct sd_binned_lanes *l, struct sd_binned_doing d, unsigned *out)
{
	for (size_t i = 0; i < l->n_doing; i++)
		if (memcmp(&l->doing[i], &d, sizeof d) == 0) {
			*out = (unsigned)i;
			return 0;
		}
	*out = (unsigned)l->n_doing;
	return SD_APPEND(l->doing, l->n_doing, &d);
}

static int put_bin(struct cut *c, struct sd_binned_lane *lane, struct sd_binned_doing d)
{
	struct sd_binned_step *const last = lane->n_step ? &lane->step[lane->n_step - 1] : NULL;
	struct sd_binned_step step = {.bins = 1};
	int rc;

	if (last && memcmp(&c->out->doing[last->doing], &d, sizeof d) == 0) {
		last->bins++;
		return 0;
	}
	if (c->n_step >= c->most)
		return -ENOSPC;
	rc = number_of(c->out, d, &step.doing);
	if (rc)
		return rc;
	if (SD_APPEND(lane->step, lane->n_step, &step))
		return -ENOMEM;
	c->n_step++;
	return 0;
}

static int cut_lane(
	struct cut *c, const struct sd_thread_lanes_thread *thread, struct sd_binned_lane *lane)
{
	int rc = 0;

	*lane = (struct sd_binned_lane){.pid = thread->pid, .tid = thread->tid};
	memcpy(lane->name, thread->name, sizeof lane->name);
	lane->name[sizeof lane->name - 1] = '\0';
	memset(c->used, 0, c->out->bins * sizeof *c->used);
	sd_lane_steps_each(thread, c->out->length, add_step, c);
	for (unsigned i = 0; i < c->out->bins && !rc; i++) {
		rc = put_bin(c, lane, doing_of(c, &c->bin[i], c->used[i]));
	}
	return rc;
}

/* ---- all lanes ------------------------------------------------------------------------------- */

/* All chosen threads in so many bins. -ENOSPC: these are too many steps. */
static int cut_all(struct cut *c, size_t threads, unsigned bins)
{
	struct sd_binned_lanes *const out = calloc(1, sizeof *out);
	int rc = out ? 0 : -ENOMEM;

	sd_binned_lanes_free(c->out);
	c->out = out;
	c->n_step = 0;
	if (rc)
		return rc;
	out->length = c->run->length;
	out->bins = bins;
	out->n_seen = c->run->n;
	out->lane = calloc(threads, sizeof *out->lane);
	if (!out->lane)
		return -ENOMEM;
	for (; out->n_lane < threads && !rc; out->n_lane++)
		rc = cut_lane(c, &c->run->thread[c->chosen[out->n_lane]], &out->lane[out->n_lane]);
	return rc;
}

struct busy {
	size_t thread;
	uint64_t time;
};

static int busier(const void *x, const void *y)
{
	const struct busy *const a = x, *const b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int by_number(const void *x, const void *y)
{
	const size_t a = *(const size_t *)x, b = *(const size_t *)y;

	return a < b ? -1 : a > b;
}

static uint64_t time_on_cpus(const struct sd_thread_lanes_thread *t)
{
	uint64_t all = 0;

	for (size_t i = 0; i < t->n_span; i++)
		if (t->span[i].activity >= SD_ACTIVITY_COUNT ||
			sd_activity_info[t->span[i].activity].group != SD_GROUP_WAITING)
			all += t->span[i].to - t->span[i].from;
	return all;
}

/* The `n` busiest threads, rising, into a fresh array; NULL: out of memory. */
static size_t *choose(const struct sd_thread_lanes_run *run, size_t n)
{
	struct busy *const busy = calloc(run->n + 1, sizeof *busy);
	size_t *const chosen = calloc(n + 1, sizeof *chosen);

	for (size_t i = 0; busy && i < run->n; i++)
		busy[i] = (struct busy){i, time_on_cpus(&run->thread[i])};
	if (busy && chosen) {
		qsort(busy, run->n, sizeof *busy, busier);
		for (size_t i = 0; i < n; i++)
			chosen[i] = busy[i].thread;
		qsort(chosen, n, sizeof *chosen, by_number);
	}
	free(busy);
	if (busy)
		return chosen;
	free(chosen);
	return NULL;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

int sd_bin_lanes(const struct sd_thread_lanes_run *run, const struct sd_stacks *stacks,
	unsigned most, struct sd_binned_lanes **out)
{
	const size_t threads = least(least(run->n, SD_BINNED_LANES), most / BINS_LEAST);
	struct cut c = {.run = run, .stacks = stacks, .most = most};
	size_t *chosen, first;
	int rc = -ENOSPC;

	*out = NULL;
	if (!threads || !run->length)
		return 0;
	/* steps are seldom fewer than a fortieth of the bins: finer ones are not tried in vain */
	first = 40 * most / threads;
	c.chosen = chosen = choose(run, threads);
	c.bin = malloc(SD_BINNED_BINS * sizeof *c.bin);
	c.used = malloc(SD_BINNED_BINS * sizeof *c.used);
	if (!chosen || !c.bin || !c.used)
		rc = -ENOMEM;
	for (unsigned bins = (unsigned)least(first, SD_BINNED_BINS); rc == -ENOSPC;
		bins = bins * 4 / 5)
		rc = cut_all(&c, threads, bins > BINS_LEAST ? bins : BINS_LEAST);
	if (rc)
		sd_binned_lanes_free(c.out);
	else
		*out = c.out;
	free(c.used);
	free(c.bin);
	free(chosen);
	return rc;
}
