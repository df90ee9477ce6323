/* Payments; the day's total is kept under a mutex. */
#include "team.h"
#include "work.h"

#define PAYMENTS 800
#define EACH (.4 / PAYMENTS)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;

static void part(const struct team_member *m)
{
	for (unsigned i = m->id; i < PAYMENTS; i += m->n) {
		const uint64_t x = work(EACH);

		pthread_mutex_lock(&mutex);
		total += x;
		pthread_mutex_unlock(&mutex);
	}
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
