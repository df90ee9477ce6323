#include "curves/levels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "curves/plateau.h"

#define PLATEAUS_MAX 8u
/* Within a level the latency grows with address translation and associativity, between levels it
 * at least doubles: 25 % is in the gap. A level spans a factor of two in size. */
static const struct sd_plateau_rule rule = {.flat = 0.25, .span = 2};

const char *const sd_level_name[SD_LEVEL_COUNT] = {"L1", "L2", "LLC", "DRAM"};

/* A cache answers in a fifth to a third of memory's time when its lines are all there. */
#define HALF_WAY 0.6
#define IN_MEMORY 0.85

/* The first point from which on memory answers; n when there is none. Points without a ratio do not
 * decide. */
static size_t memory_from(const struct sd_level_point *point, size_t n)
{
	size_t from = n;

	for (size_t i = n; i > 0; i--) {
		if (point[i - 1].ratio < IN_MEMORY)
			break;
		if (point[i - 1].ratio >= IN_MEMORY)
			from = i - 1;
	}
	return from;
}

/* From level to level the latency at least doubles; less than this is the same level, disturbed. */
#define NEXT_LEVEL 1.5
/* The last level's plateau comes this near to what the last level holds. */
#define NEAR_ITS_SIZE 4

struct curve {
	double bytes[SD_LEVELS_POINTS], ns[SD_LEVELS_POINTS];
	size_t n, memory; /* memory: the first point from which on it answers */
	const struct sd_level_claims *claims;
	struct sd_interval effective;
};

/* Lines that lie in memory, or take as long as if they did. */
static int is_memory(const struct curve *c, const struct sd_plateau *p)
{
	return p->first + p->last >= 2 * c->memory ||
	       (sd_has(c->claims->memory) && p->level >= IN_MEMORY * c->claims->memory.value);
}

/* A cache of the core's own holds what it claims: what lies beyond it for the most part is of the
 * next. A disturbed point at either end moves no middle. */
static enum sd_level_name name_of(const struct curve *c, size_t i, const struct sd_plateau *p)
{
	const double first = c->bytes[p->first], last = c->bytes[p->last];

	if (i == 0 && !(sd_has(c->claims->l1) && first >= c->claims->l1.value))
		return SD_LEVEL_L1;
	if (is_memory(c, p))
		return SD_LEVEL_DRAM;
	if (sd_has(c->claims->l2))
		return sqrt(first * last) <= c->claims->l2.value ? SD_LEVEL_L2 : SD_LEVEL_LLC;
	return c->effective.status == SD_STATUS_OK && NEAR_ITS_SIZE * last < c->effective.value
		       ? SD_LEVEL_L2
		       : SD_LEVEL_LLC;
}

/* The size, in bytes, at which the ratio climbs through the middle for the last time. */
static struct sd_interval find_effective(const struct sd_level_point *point, size_t n)
{
	struct sd_interval e = {.status = SD_STATUS_ABSENT};
	const struct sd_level_point *before = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct sd_level_point *p = &point[i];

		if (isnan(p->ratio))
			continue;
		if (before && before->ratio < HALF_WAY && p->ratio >= HALF_WAY) {
			const double part = (HALF_WAY - before->ratio) / (p->ratio - before->ratio);

			e = (struct sd_interval){
				before->bytes * pow(p->bytes / before->bytes, part), before->bytes,
				p->bytes, SD_STATUS_OK};
		}
		before = p;
	}
	return e;
}

/*
 * The core's own L2 holds what it claims whatever others do to the last-level cache. Lines that
 * memory answers sooner were lost while somebody else had the core: that measures no cache.
 */
static void refuse_below_l2(struct sd_interval *effective, struct sd_value l2)
{
	if (effective->status == SD_STATUS_OK && sd_has(l2) && effective->value <= l2.value)
		effective->status = SD_STATUS_NOISY;
}

/* The first point that the last-level cache cannot hold: memory answers more than half of its
 * loads. n when it is not known. */
static size_t beyond_llc(const double *bytes, size_t n, const struct sd_interval *effective)
{
	size_t i = 0;

	if (effective->status != SD_STATUS_OK)
		return n;
	while (i < n && bytes[i] < effective->high)
		i++;
	return i;
}

/*
 * A cache that holds little more than the one below it has no octave to itself: the longest flat
 * run between L2 and memory, of two points at least, is its level then. What the claimed L2 holds
 * and does not answer as fast as the rest is still L2, shared with somebody; what memory answers no
 * slower is memory, with a few lines in some cache.
 */
static void find_short_llc(const struct curve *c, size_t end, struct sd_levels *out)
{
	static const struct sd_plateau_rule two_points = {.flat = 0.25, .span = 1.3};
	const double *const bytes = c->bytes, *const ns = c->ns;
	size_t first = out->last[SD_LEVEL_L2] + 1;
	struct sd_plateau p[PLATEAUS_MAX];
	size_t n, best = PLATEAUS_MAX;

	while (sd_has(c->claims->l2) && first < end && bytes[first] <= c->claims->l2.value)
		first++;
	if (first >= end)
		return;
	n = sd_plateau_all(bytes + first, ns + first, end - first, two_points, p, PLATEAUS_MAX);
	n = n < PLATEAUS_MAX ? n : PLATEAUS_MAX;
	for (size_t i = 0; i < n; i++)
		if (!(sd_has(out->ns[SD_LEVEL_DRAM]) &&
			    p[i].level * (1 + rule.flat) >= out->ns[SD_LEVEL_DRAM].value) &&
			!(sd_has(c->claims->memory) &&
				p[i].level >= IN_MEMORY * c->claims->memory.value) &&
			p[i].level >= NEXT_LEVEL * out->ns[SD_LEVEL_L2].value &&
			(best == PLATEAUS_MAX ||
				p[i].last - p[i].first >= p[best].last - p[best].first))
			best = i; /* of two, the one nearer to memory */
	if (best == PLATEAUS_MAX)
		return;
	out->ns[SD_LEVEL_LLC] = SD_OK(p[best].level);
	out->bytes[SD_LEVEL_LLC] = SD_OK(bytes[first + p[best].last]);
	out->first[SD_LEVEL_LLC] = first + p[best].first;
	out->last[SD_LEVEL_LLC] = first + p[best].last;
}

/* Plateaus come in rising sizes: L2 has its name before the LLC asks. */
static void name_plateaus(const struct curve *c, size_t beyond, struct sd_levels *out)
{
	struct sd_plateau p[PLATEAUS_MAX];
	size_t found = sd_plateau_all(c->bytes, c->ns, c->n, rule, p, PLATEAUS_MAX);

	found = found < PLATEAUS_MAX ? found : PLATEAUS_MAX;
	for (size_t i = 0; i < found; i++) {
		const enum sd_level_name name = name_of(c, i, &p[i]);

		if (name == SD_LEVEL_LLC &&
			(p[i].first >= beyond ||
				(sd_has(out->ns[SD_LEVEL_L2]) &&
					p[i].level < NEXT_LEVEL * out->ns[SD_LEVEL_L2].value)))
			continue;
		if (name != SD_LEVEL_DRAM && sd_has(out->ns[name]) &&
			p[i].last - p[i].first <= out->last[name] - out->first[name])
			continue;
		out->ns[name] = SD_OK(p[i].level);
		out->bytes[name] = SD_OK(c->bytes[p[i].last]);
		out->first[name] = p[i].first;
		out->last[name] = p[i].last;
	}
}

void sd_levels_find(const struct sd_level_point *point, size_t n,
	const struct sd_level_claims *claims, struct sd_levels *out)
{
	struct curve c = {.claims = claims, .memory = memory_from(point, n)};
	size_t beyond;

	*out = (struct sd_levels){0};
	for (; c.n < n && c.n < SD_LEVELS_POINTS; c.n++) {
		c.bytes[c.n] = point[c.n].bytes;
		c.ns[c.n] = point[c.n].ns;
	}
	c.effective = find_effective(point, n);
	refuse_below_l2(&c.effective, claims->l2);
	beyond = beyond_llc(c.bytes, n, &c.effective);
	/* nearer to memory's time than to a cache's, but nobody knows whether that is all of it */
	out->effective_llc = c.effective;
	if (c.memory == n)
		out->effective_llc = (struct sd_interval){.status = SD_STATUS_ABSENT};
	name_plateaus(&c, beyond, out);
	if (!sd_has(out->ns[SD_LEVEL_LLC]) && sd_has(out->ns[SD_LEVEL_L2]) && c.memory < n)
		find_short_llc(&c, beyond < c.memory ? beyond : c.memory, out);
}

int sd_levels_is_llc(double ns, struct sd_value l2, struct sd_value memory)
{
	return sd_has(l2) && sd_has(memory) && ns >= NEXT_LEVEL * l2.value &&
	       ns <= IN_MEMORY * memory.value;
}

int sd_levels_believe(size_t lines, double foreseeable, double ns, const struct sd_reuse *reuse,
	char *why, size_t why_bytes)
{
	/* a random order of few lines repeats a distance now and then */
	const double chance = 0.02 + 16.0 / (double)(lines ? lines : 1);

	if (foreseeable > chance) {
		snprintf(why, why_bytes, "refused: a prefetcher can foresee %.0f %% of the steps",
			100 * foreseeable);
		return -ERANGE;
	}
	if (sd_has(reuse->ratio) && reuse->ratio.value >= 0.9 && sd_has(reuse->flushed) &&
		ns < 0.6 * 1e9 * reuse->flushed.value) {
		snprintf(why, why_bytes,
			"refused: %.1f ns, but these lines lie in memory, which takes %.1f ns", ns,
			1e9 * reuse->flushed.value);
		return -ERANGE;
	}
	return 0;
}
