#include "base/key_table.h"

#include <stdlib.h>

static size_t home(const struct sd_key_table *t, uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);

	return (size_t)(h ^ h >> 32) & (t->size - 1);
}

static struct sd_keyslot *slot_of(const struct sd_key_table *t, uint64_t a, uint64_t b)
{
	size_t i = home(t, a, b);

	while (t->slot[i].a && (t->slot[i].a != a || t->slot[i].b != b))
		i = (i + 1) & (t->size - 1);
	return &t->slot[i];
}

uint64_t *sd_key_table_find(const struct sd_key_table *t, uint64_t a, uint64_t b)
{
	struct sd_keyslot *s;

	if (!t->size)
		return NULL;
	s = slot_of(t, a, b);
	return s->a ? &s->value : NULL;
}

/* Room for one more: at most two thirds full. */
static int grow(struct sd_key_table *t)
{
	struct sd_key_table bigger = {.n = t->n, .size = t->size ? t->size * 2 : 64};

	if (3 * (t->n + 1) <= 2 * t->size)
		return 0;
	bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
	if (!bigger.slot)
		return -1;
	for (size_t i = 0; i < t->size; i++)
		if (t->slot[i].a)
			*slot_of(&bigger, t->slot[i].a, t->slot[i].b) = t->slot[i];
	free(t->slot);
	*t = bigger;
	return 0;
}

uint64_t *sd_key_table_add(struct sd_key_table *t, uint64_t a, uint64_t b)
{
	struct sd_keyslot *s;

	if (grow(t) != 0)
		return NULL;
	s = slot_of(t, a, b);
	if (!s->a) {
		*s = (struct sd_keyslot){.a = a, .b = b};
		t->n++;
	}
	return &s->value;
}

void sd_key_table_free(struct sd_key_table *t)
{
	free(t->slot);
	*t = (struct sd_key_table){0};
}
