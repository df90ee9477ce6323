/* Semaphore-bound: 0.9 of the work is done by whoever has the one unit of a semaphore. */
#include <semaphore.h>

#include "team.h"
#include "work.h"

#define SECTION 1e-4

struct shared {
	double amount;
	sem_t unit;
};

static void part(const struct team_member *m)
{
	struct shared *const s = m->arg;
	const long sections = (long)(s->amount / SECTION / m->n);

	for (long i = 0; i < sections; i++) {
		sem_wait(&s->unit);
		work(0.9 * SECTION);
		sem_post(&s->unit);
		work(0.1 * SECTION);
	}
}

int main(int argc, char **argv)
{
	struct shared s = {.amount = work_amount(argc, argv)};

	sem_init(&s.unit, 0, 1);
	team_run(work_threads(), part, &s);
	return 0;
}
