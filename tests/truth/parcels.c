/* Parcels handed out at counters, each guarded by a spin lock. */
#include "team.h"
#include "work.h"

#define PARCELS 20000
#define EACH (.4 / PARCELS)

#ifdef FIXED
static const unsigned counters = TEAM_MAX;
#else
static const unsigned counters = 1;
#endif

struct counter {
	_Alignas(128) pthread_spinlock_t lock;
};
static struct counter counter[TEAM_MAX];

static void part(const struct team_member *m)
{
	struct counter *const c = &counter[m->id % counters];

	for (unsigned i = m->id; i < PARCELS; i += m->n) {
		pthread_spin_lock(&c->lock);
		work(.8 * EACH);
		pthread_spin_unlock(&c->lock);
		work(.2 * EACH);
	}
}

int main(void)
{
	for (unsigned i = 0; i < TEAM_MAX; i++)
		pthread_spin_init(&counter[i].lock, 0);
	team_run(work_threads(), part, NULL);
	return 0;
}
