#include "attribute/same_code.h"

#define ENOUGH 8         /* samples needed for a verdict */
#define SHARP_ENOUGH 0.5 /* share of the parallel samples that must recur among themselves */

/* The place of a sample at a level, never 0. */
static uint64_t place(const struct sd_code *c, int level)
{
	uint64_t h = level == 0 ? c->ip : c->ip >> 6;

	if (level < 2)
		h = h * 0x9e3779b97f4a7c15u ^ c->sp;
	h *= 0xc2b2ae3d27d4eb4fu;
	h ^= h >> 29;
	return h | 1;
}

/* Its entry, or the free slot for it. The set is never full. */
static struct sd_same_code_place *find(struct sd_same_code *a, int level, uint64_t key)
{
	struct sd_same_code_place *const place = a->level[level].place;
	size_t i = key >> 1 & (SD_SAME_CODE_ROOM - 1);

	while (place[i].key && place[i].key != key)
		i = (i + 1) & (SD_SAME_CODE_ROOM - 1);
	return &place[i];
}

/* Likewise, inserted if missing; NULL if the set is three quarters full. */
static struct sd_same_code_place *enter(
	struct sd_same_code *a, int level, const struct sd_code *code)
{
	const uint64_t key = place(code, level);
	struct sd_same_code_place *const p = find(a, level, key);

	if (p->key)
		return p;
	if (a->level[level].n >= SD_SAME_CODE_ROOM / 4 * 3)
		return NULL;
	a->level[level].n++;
	p->key = key;
	return p;
}

void sd_same_code_beside(struct sd_same_code *a, const struct sd_code *code)
{
	for (int level = 0; level < SD_SAME_CODE_LEVELS; level++) {
		struct sd_same_code_place *const p = enter(a, level, code);

		if (!p)
			continue;
		a->level[level].again += p->beside > 0;
		p->beside++;
	}
	a->beside++;
}

int sd_same_code_alone(struct sd_same_code *a, const struct sd_code *code)
{
	int alike = -1;

	for (int level = 0; level < SD_SAME_CODE_LEVELS; level++) {
		struct sd_same_code_place *const p = enter(a, level, code);

		if (p)
			p->alone++;
		if (alike >= 0 || a->beside < ENOUGH ||
			(double)a->level[level].again < SHARP_ENOUGH * (double)a->beside)
			continue;
		alike = p && p->beside > 0 && p->beside * 20ull >= p->alone;
	}
	return alike;
}
