#include "cache.h"

#include <errno.h>
#include <sys/mman.h>

int sim_cache_open(struct sim_cache *c, uint64_t bytes, unsigned ways, unsigned line)
{
	*c = (struct sim_cache){0};
	if (bytes == 0)
		return 0;
	c->ways = ways;
	c->sets = bytes / ((uint64_t)ways * line);
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

static struct sim_way *set_of(const struct sim_cache *c, uint64_t line)
{
	const uint64_t set = c->sets & (c->sets - 1) ? line % c->sets : line & (c->sets - 1);

	return c->way + set * c->ways;
}

struct sim_way *sim_cache_find(struct sim_cache *c, uint64_t line, int use)
{
	struct sim_way *w;

	if (!c->way)
		return NULL;
	w = set_of(c, line);
	for (unsigned i = 0; i < c->ways; i++, w++)
		if (w->line1 == line + 1) {
			if (use)
				w->stamp = ++c->clock << 1 | (w->stamp & 1);
			return w;
		}
	return NULL;
}

void sim_cache_insert(struct sim_cache *c, uint64_t line, int dirty, struct sim_way *victim)
{
	struct sim_way *oldest, *w;

	*victim = (struct sim_way){0};
	if (!c->way)
		return;
	oldest = w = set_of(c, line);
	for (unsigned i = 0; i < c->ways && oldest->line1; i++, w++)
		if (!w->line1 || w->stamp < oldest->stamp)
			oldest = w;
	*victim = *oldest;
	oldest->line1 = line + 1;
	oldest->stamp = ++c->clock << 1 | (dirty != 0);
}
