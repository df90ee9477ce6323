/* Strings made, kept for a while, and dropped. */
#include <malloc.h>

#include "team.h"
#include "work.h"

#define STRINGS 3000000
#define KEPT 64

#ifdef FIXED
static const int arenas = TEAM_MAX;
#else
static const int arenas = 1;
#endif

static void part(const struct team_member *m)
{
	char *kept[KEPT] = {0};
	uint32_t x = m->id + 1;

	for (unsigned i = m->id; i < STRINGS; i += m->n) {
		x = x * 1664525 + 1013904223;
		free(kept[x >> 26]);
		kept[x >> 26] = malloc(1100 + (x >> 20 & 1023));
		if (!kept[x >> 26])
			abort();
		kept[x >> 26][0] = 'a';
	}
	for (int i = 0; i < KEPT; i++)
		free(kept[i]);
}

int main(void)
{
	mallopt(M_ARENA_MAX, arenas);
	team_run(work_threads(), part, NULL);
	return 0;
}
