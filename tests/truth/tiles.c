/* Tiles that are gone over many times. */
#include "crew.h"
#include "team.h"
#include "work.h"

#define LINE 64
#define LINES (48u << 10)
#define PASSES 96 /* making the tiles, by one thread, is no part of it */
#ifdef FIXED
static const unsigned tile = 2u << 10;
#else
static const unsigned tile = LINES;
#endif

static unsigned char *tiles;

/* Every member has its share of the passes over tiles of its own. */
static void part(const struct team_member *m)
{
	unsigned char *const mine = tiles + (size_t)m->id * LINES * LINE;
	volatile unsigned sum = 0;

	for (unsigned at = 0; at < LINES; at += tile)
		for (unsigned p = m->id; p < PASSES; p += m->n)
			for (unsigned i = at; i < at + tile; i++)
				sum += mine[(size_t)i * LINE];
}

int main(void)
{
	const unsigned n = work_threads();

	tiles = crew_memory((size_t)n * LINES * LINE);
	team_run(n, part, NULL);
	return 0;
}
