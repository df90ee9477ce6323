/* Pages are set and then printed, several times over. */
#include "team.h"
#include "work.h"

#define ROUNDS 4
#define EACH (.4 / ROUNDS)

static pthread_barrier_t phase;

static void part(const struct team_member *m)
{
	for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
		work(.5 * EACH / m->n);
#else
		if (m->id == 0)
			work(.5 * EACH);
#endif
		pthread_barrier_wait(&phase);
		work(.5 * EACH / m->n);
		pthread_barrier_wait(&phase);
	}
}

int main(void)
{
	const unsigned n = work_threads();

	pthread_barrier_init(&phase, NULL, n);
	team_run(n, part, NULL);
	return 0;
}
