/* Rounds over shards of a table. */
#include <pthread.h>

#include "crew.h"
#include "work.h"

#define ROUNDS 12
#define EACH (.4 / ROUNDS)

#ifdef FIXED
static const double first = 1;
#else
static const double first = 3;
#endif

static pthread_barrier_t round_end;

static void part(unsigned id, unsigned n)
{
	const double all = first + (n - 1);

	for (int i = 0; i < ROUNDS; i++) {
		work(EACH * (id == 0 ? first : 1) / all);
		pthread_barrier_wait(&round_end);
	}
}

int main(void)
{
	const unsigned n = work_threads();

	pthread_barrier_init(&round_end, NULL, n);
	crew_threads(n, part);
	return 0;
}
