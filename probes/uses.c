#include "uses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct sd_uses *u, unsigned node, enum sd_activity activity)
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

static int grow(struct sd_uses *u)
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

struct sd_use *sd_uses_row(struct sd_uses *u, unsigned node, enum sd_activity activity)
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
}

int sd_uses_take(const struct sd_uses *u, struct sd_use **out, size_t *n)
{
	const size_t rest = SD_ACTIVITY_COUNT; /* rows that the rest may need */
	struct sd_use *const list = calloc(u->n + rest + 1, sizeof *list);
	size_t kept = u->n;

	*out = NULL;
	*n = 0;
	if (!list)
		return -ENOMEM;
	if (u->n)
		memcpy(list, u->use, u->n * sizeof *list);
	qsort(list, u->n, sizeof *list, by_weight);
	if (u->n > SD_SAMPLED_ROWS) {
		struct sd_uses sums = {0};
		int rc = 0;

		kept = SD_SAMPLED_ROWS - rest;
		for (size_t i = 0; i < kept; i++) /* the row of no stack is one of the rest's */
			if (list[i].node == 0) {
				const struct sd_use none = list[i];

				memmove(&list[i], &list[i + 1], (u->n - i - 1) * sizeof *list);
				list[u->n - 1] = none;
				i--;
			}
		for (size_t i = kept; i < u->n && !rc; i++) {
			struct sd_use *const row = sd_uses_row(&sums, 0, list[i].activity);

			if (row)
				merge(row, &list[i]);
			rc = row ? 0 : -ENOMEM;
		}
		if (!rc && sums.n)
			memcpy(&list[kept], sums.use, sums.n * sizeof *list);
		kept += sums.n;
		sd_uses_free(&sums);
		if (rc) {
			free(list);
			return rc;
		}
		qsort(list, kept, sizeof *list, by_weight);
	}
	*out = list;
	*n = kept;
	return 0;
}

void sd_uses_free(struct sd_uses *u)
{
	free(u->use);
	free(u->slot);
	*u = (struct sd_uses){0};
}
