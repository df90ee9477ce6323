/* Look-ups in a catalogue that a read-write lock protects. */
#include "team.h"
#include "work.h"

#define LOOKUPS 4000
#define EACH (.4 / LOOKUPS)

#ifdef FIXED
#define ENTER pthread_rwlock_rdlock
#else
#define ENTER pthread_rwlock_wrlock
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void part(const struct team_member *m)
{
	for (unsigned i = m->id; i < LOOKUPS; i += m->n) {
		ENTER(&lock);
		work(.85 * EACH);
		pthread_rwlock_unlock(&lock);
		work(.15 * EACH);
	}
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
