#include "parts/sampled_sum.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

/* Rows are brought together when so many more have come. */
#define TOGETHER ((size_t)1 << 18)

static void add_use(struct sd_use *to, const struct sd_use *u)
{
	to->seconds += u->seconds;
	to->count += u->count;
	to->longest = fmax(to->longest, u->longest);
	to->blame += u->blame;
	to->blame_serial += u->blame_serial;
	to->blame_imbalance += u->blame_imbalance;
	to->blame_lock += u->blame_lock;
	to->spun_serial += u->spun_serial;
	to->spun_imbalance += u->spun_imbalance;
	to->atomic += u->atomic;
}

static int by_place(const void *a, const void *b)
{
	const struct sd_use *const x = a, *const y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->activity > y->activity) - (x->activity < y->activity);
}

static int by_seconds(const void *a, const void *b)
{
	const struct sd_use *const x = a, *const y = b;

	if (x->seconds != y->seconds)
		return x->seconds > y->seconds ? -1 : 1;
	return by_place(a, b);
}

static void bring_together(struct sd_sampled_sum *s)
{
	size_t n = 0;

	if (!s->n_use)
		return;
	qsort(s->use, s->n_use, sizeof *s->use, by_place);
	for (size_t i = 1; i < s->n_use; i++)
		if (by_place(&s->use[n], &s->use[i]))
			s->use[++n] = s->use[i];
		else
			add_use(&s->use[n], &s->use[i]);
	s->n_use = n + 1;
}

static int add_row(struct sd_sampled_sum *s, const struct sd_use *u)
{
	struct sd_use row = *u;

	row.solo = 0;
	return SD_APPEND(s->use, s->n_use, &row);
}

/* ---- places of one table in another ---------------------------------------------------------- */

#define UNKNOWN UINT32_MAX /* not brought over yet */

struct places {
	const struct sd_stacks *from;
	struct sd_stacks *to;
	unsigned *node; /* by node of `from`, the one of `to` */
};

static int text_of(const struct places *p, unsigned from, unsigned *to)
{
	*to = 0;
	return from && from < p->from->n_text ? sd_stacks_text(p->to, p->from->text[from], to) : 0;
}

static int frame_of(const struct places *p, unsigned from, unsigned *to)
{
	struct sd_frame f = p->from->frame[from];
	int rc = text_of(p, f.function, &f.function);

	rc = rc ? rc : text_of(p, f.file, &f.file);
	rc = rc ? rc : text_of(p, f.module, &f.module);
	return rc ? rc : sd_stacks_frame(p->to, &f, to);
}

/* The node, its callers first; 0 where the table is full. 0 or -ENOMEM. */
static int node_of(const struct places *p, unsigned from, unsigned *to)
{
	unsigned path[SD_STACKS_DEPTH + 1];
	size_t n = 0;
	int rc = 0;

	*to = 0;
	if (from >= p->from->n_node)
		return 0;
	while (p->node[from] == UNKNOWN && n < sizeof path / sizeof *path) {
		path[n++] = from;
		from = p->from->node[from].parent;
	}
	*to = p->node[from] == UNKNOWN ? 0 : p->node[from];
	while (n > 0 && !rc) {
		unsigned frame;

		rc = frame_of(p, p->from->node[path[--n]].frame, &frame);
		rc = rc ? rc : sd_stacks_node(p->to, *to, frame, to);
		p->node[path[n]] = *to;
	}
	if (rc == -ENOSPC)
		*to = 0;
	return rc == -ENOSPC ? 0 : rc;
}

static int open_places(struct places *p)
{
	p->node = malloc((p->from->n_node + 1) * sizeof *p->node);
	if (!p->node)
		return -ENOMEM;
	for (size_t i = 0; i <= p->from->n_node; i++)
		p->node[i] = i ? UNKNOWN : 0;
	return 0;
}

/* ---- the sum --------------------------------------------------------------------------------- */

static int add_lock(struct sd_sampled_sum *s, const struct sd_lock_use *l, const struct places *p)
{
	struct sd_sampled *const w = &s->whole;
	struct sd_lock_use *const more = realloc(w->lock, (w->n_lock + 1) * sizeof *more);
	int rc;

	if (!more)
		return -ENOMEM;
	w->lock = more;
	w->lock[w->n_lock] = *l;
	rc = text_of(p, l->name, &w->lock[w->n_lock].name);
	rc = rc == -ENOSPC ? 0 : rc;
	for (size_t i = 0; i < SD_LOCK_STACKS && !rc; i++) {
		rc = node_of(p, l->holder[i].node, &w->lock[w->n_lock].holder[i].node);
		if (!rc)
			rc = node_of(p, l->waiter[i].node, &w->lock[w->n_lock].waiter[i].node);
	}
	w->n_lock++;
	return rc;
}

/* Adds numbers of the whole; shares are averaged, weighted by what they are shares of. */
static void add_whole(struct sd_sampled *to, const struct sd_sampled *of)
{
	const double samples = to->samples + of->samples;

	to->unwound =
		samples > 0 ? (to->unwound * to->samples + of->unwound * of->samples) / samples : 0;
	to->pointed =
		samples > 0 ? (to->pointed * to->samples + of->pointed * of->samples) / samples : 0;
	to->stack_bytes = fmax(to->stack_bytes, of->stack_bytes);
	to->samples = samples;
	to->switches += of->switches;
	to->lost += of->lost;
	to->cpu_s += of->cpu_s;
	to->unwatched = fmax(to->unwatched, of->unwatched);
	to->n_lock_seen += of->n_lock_seen;
	to->idle &= of->idle;
	if (to->kernel == SD_STATUS_OK)
		to->kernel = of->kernel;
	if (to->switch_stacks == SD_STATUS_OK)
		to->switch_stacks = of->switch_stacks;
	if (to->wakers == SD_STATUS_OK)
		to->wakers = of->wakers;
	if (to->programs == SD_STATUS_OK)
		to->programs = of->programs;
}

int sd_sampled_sum_begin(struct sd_sampled_sum *s, const struct sd_sampled *first)
{
	int rc = 0;

	s->whole = *first;
	s->whole.use = NULL;
	s->whole.bottle = NULL;
	s->whole.n_use = s->whole.n_bottle = 0;
	s->whole.lock = calloc(first->n_lock + 1, sizeof *s->whole.lock);
	if (!s->whole.lock)
		return -ENOMEM;
	if (first->n_lock)
		memcpy(s->whole.lock, first->lock, first->n_lock * sizeof *first->lock);
	for (size_t i = 0; i < first->n_use && !rc; i++)
		rc = add_row(s, &first->use[i]);
	return rc;
}

int sd_sampled_sum_add(
	struct sd_sampled_sum *s, const struct sd_sampled *part, const struct sd_stacks *from)
{
	struct places p = {.from = from, .to = s->stacks};
	int rc;

	if (part->status != SD_STATUS_OK)
		return 0;
	if (s->whole.status == SD_STATUS_OK)
		add_whole(&s->whole, part);
	else /* nobody could look at the launcher: that lacks nothing of the ranks */
		s->whole = (struct sd_sampled){.status = part->status,
			.lock = s->whole.lock,
			.switch_stacks = part->switch_stacks,
			.kernel = part->kernel,
			.wakers = part->wakers,
			.programs = part->programs,
			.idle = part->idle,
			.hz = part->hz,
			.sample_s = part->sample_s,
			.samples = part->samples,
			.switches = part->switches,
			.lost = part->lost,
			.unwatched = part->unwatched,
			.stack_bytes = part->stack_bytes,
			.pointed = part->pointed,
			.unwound = part->unwound,
			.cpu_s = part->cpu_s,
			.n_lock_seen = part->n_lock_seen};
	rc = open_places(&p);
	for (size_t i = 0; i < part->n_use && !rc; i++) {
		struct sd_use u = part->use[i];

		rc = node_of(&p, u.node, &u.node);
		rc = rc ? rc : add_row(s, &u);
	}
	for (size_t i = 0; i < part->n_lock && !rc; i++)
		rc = add_lock(s, &part->lock[i], &p);
	free(p.node);
	if (!rc && s->n_use > TOGETHER)
		bring_together(s);
	return rc;
}

static int by_wait(const void *a, const void *b)
{
	const struct sd_lock_use *const x = a, *const y = b;

	return (x->wait_s < y->wait_s) - (x->wait_s > y->wait_s);
}

/* Adds up the uses beyond a record's rows, in one row an activity. */
static void fold(struct sd_sampled_sum *s)
{
	const size_t most = SD_SAMPLED_ROWS - SD_ACTIVITY_COUNT;
	size_t n = most;

	if (s->n_use <= SD_SAMPLED_ROWS)
		return;
	for (size_t i = most; i < s->n_use; i++) {
		size_t k = most;

		s->use[i].node = 0;
		while (k < n && s->use[k].activity != s->use[i].activity)
			k++;
		if (k < n)
			add_use(&s->use[k], &s->use[i]);
		else
			s->use[n++] = s->use[i];
	}
	s->n_use = n;
}

int sd_sampled_sum_end(struct sd_sampled_sum *s, struct sd_sampled *out)
{
	bring_together(s);
	if (s->n_use)
		qsort(s->use, s->n_use, sizeof *s->use, by_seconds);
	fold(s);
	bring_together(s); /* the remainder may have been there before */
	if (s->n_use)
		qsort(s->use, s->n_use, sizeof *s->use, by_seconds);
	if (s->whole.n_lock)
		qsort(s->whole.lock, s->whole.n_lock, sizeof *s->whole.lock, by_wait);
	if (s->whole.n_lock > SD_SAMPLED_LOCKS)
		s->whole.n_lock = SD_SAMPLED_LOCKS;
	sd_sampled_free(out);
	*out = s->whole;
	out->useful_alone = out->spun_serial = out->spun_imbalance = SD_NOT(UNSUPPORTED);
	out->use = s->use;
	out->n_use = s->n_use;
	s->use = NULL;
	s->whole = (struct sd_sampled){0};
	return 0;
}

void sd_sampled_sum_free(struct sd_sampled_sum *s)
{
	free(s->use);
	free(s->whole.lock);
	s->use = NULL;
	s->whole.lock = NULL;
}
