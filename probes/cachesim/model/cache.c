#include "model/cache.h"

#include <errno.h>
#include <sys/mman.h>

int sim_cache_open(struct sim_cache *c, uint64_t bytes, unsigned ways, unsigned line)
{
	*c = (struct sim_cache){0};
	if (bytes == 0)
		return 0;
	c->ways = ways;
	c->sets = bytes / ((uint64_t)ways * line);
	c->mask = c->sets & (c->sets - 1) ? 0 : c->sets - 1;
	c->inverse = c->mask ? 0 : UINT64_MAX / c->sets;
	c->way = mmap(NULL, c->sets * ways * sizeof *c->way, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (c->way == MAP_FAILED) {
		*c = (struct sim_cache){0};
		return -ENOMEM;
	}
	return 0;
}

void sim_cache_close(struct sim_cache *c)
{
	if (c->way)
		munmap(c->way, c->sets * c->ways * sizeof *c->way);
	*c = (struct sim_cache){0};
}

#define NEAR 3u /* ways looked at one by one: what is used again soon is there */

/* Four ways in one or two instructions of the host. */
typedef uint64_t four __attribute__((vector_size(32), aligned(8), may_alias));

/* Puts `value` first, and what was before set[i] one place back. */
static uint64_t *to_front(uint64_t *set, unsigned i, uint64_t value)
{
	for (; i >= 4; i -= 4)
		*(four *)(void *)(set + i - 3) = *(const four *)(const void *)(set + i - 4);
	for (; i > 0; i--)
		set[i] = set[i - 1];
	set[0] = value;
	return set;
}

static int has(const uint64_t *set, unsigned ways, uint64_t line1)
{
	const four want = {line1, line1, line1, line1};
	union {
		four v;
		uint64_t x[4];
	} found = {.x = {0}};
	unsigned i = 0;

	for (; i + 4 <= ways; i += 4)
		found.v |= (four)((*(const four *)(const void *)(set + i) >> 1) == want);
	for (; i < ways; i++)
		found.x[0] |= set[i] >> 1 == line1;
	return (found.x[0] | found.x[1] | found.x[2] | found.x[3]) != 0;
}

int sim_cache_has(const struct sim_cache *c, uint64_t line)
{
	return c->way && has(sim_cache_set(c, line), c->ways, line + 1);
}

uint64_t *sim_cache_search(struct sim_cache *c, uint64_t *set, uint64_t line, int use)
{
	unsigned at = 1; /* the caller has looked at the first */

	while (at < NEAR && at < c->ways && set[at] >> 1 != line + 1)
		at++;
	/* most of what is asked of the last level is not there, and where the rest is nobody can
	 * predict: all ways at once first */
	if (at == NEAR && !has(set, c->ways, line + 1))
		return NULL;
	while (at < c->ways && set[at] >> 1 != line + 1)
		at++;
	if (at == c->ways)
		return NULL;
	return use ? to_front(set, at, set[at]) : &set[at];
}

uint64_t sim_cache_insert(struct sim_cache *c, uint64_t line, int dirty)
{
	uint64_t *set, victim;

	if (!c->way)
		return 0;
	set = sim_cache_set(c, line);
	victim = set[c->ways - 1];
	to_front(set, c->ways - 1, (line + 1) << 1 | (dirty != 0));
	return victim;
}

void sim_cache_remove(struct sim_cache *c, uint64_t *way)
{
	const size_t at = (size_t)(way - c->way) % c->ways;
	uint64_t *const last = way - at + c->ways - 1;

	for (; way < last; way++)
		way[0] = way[1];
	*last = 0;
}
