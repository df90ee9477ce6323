/*
 * Imbalanced: in each of four rounds the last worker has 0.8 of the work and the others, who share
 * the rest, wait for it at a barrier.
 */
#include "team.h"
#include "work.h"

#define ROUNDS 4

struct rounds {
	double amount;
	pthread_barrier_t barrier;
};

static void part(const struct team_member *m)
{
	struct rounds *const r = m->arg;
	const double round = r->amount / ROUNDS;
	double mine = round;

	if (m->n > 1)
		mine = m->id == m->n - 1 ? 0.8 * round : 0.2 * round / (m->n - 1);
	for (int i = 0; i < ROUNDS; i++) {
		work(mine);
		pthread_barrier_wait(&r->barrier);
	}
}

int main(int argc, char **argv)
{
	struct rounds r = {.amount = work_amount(argc, argv)};
	const unsigned n = work_threads();

	pthread_barrier_init(&r.barrier, NULL, n);
	team_run(n, part, &r);
	pthread_barrier_destroy(&r.barrier);
	return 0;
}
