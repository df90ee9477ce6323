/* A grid relaxed in steps that all take together. */
#include "team.h"
#include "work.h"

#ifdef FIXED
#define STEPS 40
#else
#define STEPS 40000
#endif
#define EACH (.4 / STEPS)

static pthread_barrier_t step;

static void part(const struct team_member *m)
{
	for (int i = 0; i < STEPS; i++) {
		work(EACH / m->n);
		pthread_barrier_wait(&step);
	}
}

int main(void)
{
	const unsigned n = work_threads();

	pthread_barrier_init(&step, NULL, n);
	team_run(n, part, NULL);
	return 0;
}
