/* Values sorted into a few bins. */
#include <stdatomic.h>

#include "team.h"
#include "work.h"

#define VALUES (36000000 / SMALLER)
#define BINS 16

#ifdef FIXED
#define TABLES TEAM_MAX
#else
#define TABLES 1
#endif

struct table {
	_Alignas(128) atomic_ulong bin[BINS];
};
static struct table table[TABLES];

static void part(const struct team_member *m)
{
	struct table *const t = &table[m->id % TABLES];
	uint64_t x = m->id + 1;

	for (unsigned i = m->id; i < VALUES; i += m->n) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		atomic_fetch_add_explicit(&t->bin[(x >> 33) % BINS], 1, memory_order_relaxed);
	}
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
