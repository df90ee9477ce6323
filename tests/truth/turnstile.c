/* Visitors pass a turnstile, as many at a time as the semaphore lets in. */
#include <semaphore.h>

#include "team.h"
#include "work.h"

#define VISITORS 4000
#define EACH (.4 / VISITORS)

#ifdef FIXED
static const unsigned gates = TEAM_MAX;
#else
static const unsigned gates = 1;
#endif

static sem_t gate;

static void part(const struct team_member *m)
{
	for (unsigned i = m->id; i < VISITORS; i += m->n) {
		sem_wait(&gate);
		work(.8 * EACH);
		sem_post(&gate);
		work(.2 * EACH);
	}
}

int main(void)
{
	sem_init(&gate, 0, gates);
	team_run(work_threads(), part, NULL);
	return 0;
}
