#include "guest/reuse_distance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TABLE (SIM_REUSE_LINES * 4) /* open addressing, at most a quarter full */
#define TIMES (SIM_REUSE_LINES * 4) /* until the times are renumbered */
#define WHOLE (1u << 24)
#define NEVER (SD_SIM_DISTANCES - 1)
/* Accesses after which half as many lines do as well, as long as there are enough of them. */
#define ENOUGH (1u << 16)
#define ENOUGH_LINES 128

int sim_reuse_open(struct sim_reuse *r)
{
	*r = (struct sim_reuse){.threshold = SIM_REUSE_FIRST};
	r->line = calloc(TABLE, sizeof *r->line);
	r->tree = calloc(TIMES + 1, sizeof *r->tree);
	if (r->line && r->tree)
		return 0;
	sim_reuse_retire(r);
	return -ENOMEM;
}

void sim_reuse_retire(struct sim_reuse *r)
{
	free(r->line);
	free(r->tree);
	r->line = NULL;
	r->tree = NULL;
}

static void mark(struct sim_reuse *r, uint32_t time, uint32_t by)
{
	for (uint32_t i = time; i <= TIMES; i += i & -i)
		r->tree[i] += by;
}

static uint32_t marked_up_to(const struct sim_reuse *r, uint32_t time)
{
	uint32_t sum = 0;

	for (uint32_t i = time; i; i -= i & -i)
		sum += r->tree[i];
	return sum;
}

static struct sim_reuse_line *place(const struct sim_reuse *r, uint64_t line, uint32_t hash)
{
	size_t i = hash & (TABLE - 1);

	while (r->line[i].line1 && r->line[i].line1 != line + 1)
		i = (i + 1) & (TABLE - 1);
	return &r->line[i];
}

static int by_time(const void *a, const void *b)
{
	const uint32_t x = ((const struct sim_reuse_line *)a)->time;
	const uint32_t y = ((const struct sim_reuse_line *)b)->time;

	return (x > y) - (x < y);
}

/* Renumbers the times 1, 2, … in order, and forgets lines that are no longer sampled. */
static void renumber(struct sim_reuse *r)
{
	struct sim_reuse_line *const old = malloc(SIM_REUSE_LINES * sizeof *old);
	size_t n = 0;

	for (size_t i = 0; i < TABLE && old; i++)
		if (r->line[i].line1 && r->line[i].hash < r->threshold && n < SIM_REUSE_LINES)
			old[n++] = r->line[i];
	memset(r->line, 0, TABLE * sizeof *r->line);
	memset(r->tree, 0, (TIMES + 1) * sizeof *r->tree);
	r->now = 0;
	r->used = n;
	if (!old)
		return; /* what comes is then seen for the first time */
	qsort(old, n, sizeof *old, by_time);
	for (size_t i = 0; i < n; i++) {
		old[i].time = ++r->now;
		mark(r, r->now, 1);
		*place(r, old[i].line1 - 1, old[i].hash) = old[i];
	}
	free(old);
}

/* [0]: 0; [i]: 2^(i-1) <= lines < 2^i. */
static size_t bucket(double lines)
{
	const size_t i = lines < 1 ? 0 : 64 - (size_t)__builtin_clzll((uint64_t)lines);

	return i < NEVER - 1 ? i : NEVER - 1;
}

void sim_reuse_add(struct sim_reuse *r, uint64_t line)
{
	const uint32_t hash = sim_reuse_hash(line);
	struct sim_reuse_line *l;
	double scale;

	if (!r->line || hash >= r->threshold)
		return;
	if (++r->adds > ENOUGH && r->used > ENOUGH_LINES) {
		r->threshold /= 2;
		r->adds = 0;
		renumber(r);
		if (hash >= r->threshold)
			return;
	} else if (r->now == TIMES) {
		renumber(r);
	}
	scale = (double)WHOLE / r->threshold;
	l = place(r, line, hash);
	if (l->line1) {
		const uint32_t since = (uint32_t)r->used - marked_up_to(r, l->time);

		r->distance[bucket(since * scale)] += scale;
		mark(r, l->time, (uint32_t)-1);
	} else {
		if (r->used == SIM_REUSE_LINES - 1) {
			r->threshold /= 2;
			renumber(r);
			if (hash >= r->threshold)
				return;
			l = place(r, line, hash);
		}
		r->distance[NEVER] += scale;
		*l = (struct sim_reuse_line){.line1 = line + 1, .hash = hash};
		r->used++;
	}
	l->time = ++r->now;
	mark(r, r->now, 1);
}

void sim_reuse_result(const struct sim_reuse *r, double accesses, double out[SD_SIM_DISTANCES])
{
	double sum = 0;

	memcpy(out, r->distance, sizeof r->distance);
	for (size_t i = 0; i < SD_SIM_DISTANCES; i++)
		sum += out[i];
	for (size_t i = 0; i < SD_SIM_DISTANCES && sum != accesses; i++) {
		const double off = accesses - sum, take = out[i] + off < 0 ? -out[i] : off;

		out[i] += take;
		sum += take;
		if (off > 0)
			break;
	}
}
