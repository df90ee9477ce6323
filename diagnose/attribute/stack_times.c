#include "attribute/stack_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct sd_stack_times *u, unsigned node, enum sd_activity activity)
{
	uint64_t h = (uint64_t)node * SD_ACTIVITY_COUNT + activity;
	size_t i;

	h *= UINT64_C(0x9e3779b97f4a7c15);
	for (i = (h >> 20) & (u->slots - 1); u->slot[i]; i = (i + 1) & (u->slots - 1))
		if (u->use[u->slot[i] - 1].node == node &&
			u->use[u->slot[i] - 1].activity == activity)
			break;
	return i;
}

static int grow(struct sd_stack_times *u)
{
	const size_t room = u->room ? 2 * u->room : 16;
	struct sd_use *const use = reallocarray(u->use, room, sizeof *use);
	unsigned *slot;

	if (!use)
		return -ENOMEM;
	u->use = use;
	slot = calloc(2 * room, sizeof *slot);
	if (!slot)
		return -ENOMEM;
	free(u->slot);
	u->slot = slot;
	u->slots = 2 * room;
	u->room = room;
	for (size_t i = 0; i < u->n; i++)
		u->slot[slot_of(u, u->use[i].node, u->use[i].activity)] = (unsigned)i + 1;
	return 0;
}

struct sd_use *sd_stack_times_row(
	struct sd_stack_times *u, unsigned node, enum sd_activity activity)
{
	size_t i;

	if (u->n == u->room && grow(u))
		return NULL;
	i = slot_of(u, node, activity);
	if (!u->slot[i]) {
		u->use[u->n] = (struct sd_use){.node = node, .activity = activity};
		u->slot[i] = (unsigned)++u->n;
	}
	return &u->use[u->slot[i] - 1];
}

static double weight(const struct sd_use *u)
{
	return u->seconds + u->blame + u->spun_serial + u->spun_imbalance;
}

static int by_weight(const void *a, const void *b)
{
	const struct sd_use *const x = a, *const y = b;
	const double left = weight(x), right = weight(y);

	if (left != right)
		return left < right ? 1 : -1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (int)x->activity - (int)y->activity;
}

static void merge(struct sd_use *into, const struct sd_use *u)
{
	into->seconds += u->seconds;
	into->count += u->count;
	into->longest = into->longest > u->longest ? into->longest : u->longest;
	into->solo += u->solo;
	into->blame += u->blame;
	into->blame_serial += u->blame_serial;
	into->blame_imbalance += u->blame_imbalance;
	into->blame_lock += u->blame_lock;
	into->spun_serial += u->spun_serial;
	into->spun_imbalance += u->spun_imbalance;
	into->atomic += u->atomic;
}

/*
 * How excess rows are shortened: the stacks with the most time stay complete, the next keep their
 * innermost frames, the next only their function, so that the time by function stays correct.
 */
static const struct level {
	unsigned frames; /* kept; 0 all, 1 without its line */
	size_t rows;
} levels[] = {
	{0, SD_SAMPLED_ROWS / 4},
	{4, SD_SAMPLED_ROWS / 4},
	/* a compiler runs 2500 functions, each in several activities */
	{1, SD_SAMPLED_ROWS / 2 - SD_ACTIVITY_COUNT},
};
#define LEVELS (sizeof levels / sizeof levels[0])

/* The stack of only the innermost frames; 0: not possible. */
static unsigned cut(struct sd_stacks *s, unsigned node, unsigned frames)
{
	unsigned from[8], n = 0, out = 0;

	if (!s || frames > sizeof from / sizeof *from)
		return 0;
	for (; node && node < s->n_node && n < frames; node = s->node[node].parent)
		from[n++] = s->node[node].frame;
	if (frames == 1 && n == 1) {
		struct sd_frame f = s->frame[from[0]];

		f.line = 0;
		f.inlined = 0;
		f.offset = f.function ? f.offset : 0;
		if (sd_stacks_frame(s, &f, &from[0]))
			return 0;
	}
	while (n > 0)
		if (sd_stacks_node(s, out, from[--n], &out))
			return 0;
	return out;
}

static int add(struct sd_stack_times *to, unsigned node, const struct sd_use *u)
{
	struct sd_use *const row = sd_stack_times_row(to, node, u->activity);

	if (row)
		merge(row, u);
	return row ? 0 : -ENOMEM;
}

/* Moves the largest shortened rows of `from` to *kept; the rest goes to *left, without its index.
 */
static int keep_level(const struct level *level, struct sd_stacks *stacks,
	const struct sd_stack_times *from, struct sd_stack_times *kept, struct sd_stack_times *left)
{
	struct sd_stack_times cuts = {0};
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < from->n && !rc; i++) {
		const struct sd_use *const u = &from->use[i];

		rc = add(&cuts, level->frames ? cut(stacks, u->node, level->frames) : u->node, u);
	}
	if (cuts.n)
		qsort(cuts.use, cuts.n, sizeof *cuts.use, by_weight);
	for (size_t i = 0; i < cuts.n && !rc; i++) {
		const int keep = cuts.use[i].node && n < level->rows;

		n += keep;
		rc = add(keep ? kept : left, cuts.use[i].node, &cuts.use[i]);
	}
	sd_stack_times_free(&cuts);
	return rc;
}

static int keep_most(
	const struct sd_stack_times *u, struct sd_stacks *stacks, struct sd_stack_times *kept)
{
	struct sd_stack_times left = {0}, next = {0};
	int rc = 0;

	for (size_t i = 0; i < LEVELS && !rc; i++) {
		next = (struct sd_stack_times){0};
		rc = keep_level(&levels[i], stacks, i ? &left : u, kept, &next);
		sd_stack_times_free(&left);
		left = next;
	}
	for (size_t i = 0; i < left.n && !rc; i++)
		rc = add(kept, 0, &left.use[i]);
	sd_stack_times_free(&left);
	return rc;
}

int sd_stack_times_take(
	const struct sd_stack_times *u, struct sd_stacks *stacks, struct sd_use **out, size_t *n)
{
	struct sd_stack_times kept = {0};
	int rc = 0;

	*out = NULL;
	*n = 0;
	if (u->n > SD_SAMPLED_ROWS)
		rc = keep_most(u, stacks, &kept);
	else
		for (size_t i = 0; i < u->n && !rc; i++)
			rc = add(&kept, u->use[i].node, &u->use[i]);
	if (!rc) {
		if (kept.n)
			qsort(kept.use, kept.n, sizeof *kept.use, by_weight);
		*out = kept.use;
		*n = kept.n;
		kept.use = NULL;
	}
	sd_stack_times_free(&kept);
	return rc;
}

void sd_stack_times_free(struct sd_stack_times *u)
{
	free(u->use);
	free(u->slot);
	*u = (struct sd_stack_times){0};
}
