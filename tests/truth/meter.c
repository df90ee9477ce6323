/* A meter that every event moves on. */
#include <stdatomic.h>

#include "team.h"
#include "work.h"

#define EVENTS (90000000 / SMALLER)

#ifdef FIXED
static const unsigned meters = TEAM_MAX;
#else
static const unsigned meters = 1;
#endif

struct meter {
	_Alignas(128) atomic_ulong at;
};
static struct meter meter[TEAM_MAX];

static void part(const struct team_member *m)
{
	struct meter *const mine = &meter[m->id % meters];

	for (unsigned i = m->id; i < EVENTS; i += m->n)
		atomic_fetch_add_explicit(&mine->at, 1, memory_order_relaxed);
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
