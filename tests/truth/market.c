/* Trading days: prices are set, then trades are booked. */
#include "team.h"
#include "work.h"

#define DAYS 4
#define TRADES 200
#define EACH (.4 / DAYS)

#ifdef FIXED
static const double by_all = 1, booked_apart = 1;
#else
static const double by_all = 0, booked_apart = 0;
#endif

static pthread_barrier_t bell;
static pthread_mutex_t book = PTHREAD_MUTEX_INITIALIZER;

static void trade(unsigned n)
{
	for (unsigned i = 0; i < TRADES / n; i++) {
		pthread_mutex_lock(&book);
		work(.6 * EACH / TRADES * (1 - booked_apart));
		pthread_mutex_unlock(&book);
		work(.6 * EACH / TRADES * booked_apart);
	}
}

static void part(const struct team_member *m)
{
	for (int d = 0; d < DAYS; d++) {
		work(.4 * EACH * by_all / m->n);
		if (m->id == 0)
			work(.4 * EACH * (1 - by_all));
		pthread_barrier_wait(&bell);
		trade(m->n);
		pthread_barrier_wait(&bell);
	}
}

int main(void)
{
	const unsigned n = work_threads();

	pthread_barrier_init(&bell, NULL, n);
	team_run(n, part, NULL);
	return 0;
}
