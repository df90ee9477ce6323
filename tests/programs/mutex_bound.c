/* Mutex-bound: 0.9 of the work is done while holding one mutex, in sections of about 0.1 ms. */
#include "team.h"
#include "work.h"

#define SECTION 1e-4

struct shared {
	double amount;
	pthread_mutex_t mutex;
};

static void part(const struct team_member *m)
{
	struct shared *const s = m->arg;
	const long sections = (long)(s->amount / SECTION / m->n);

	for (long i = 0; i < sections; i++) {
		pthread_mutex_lock(&s->mutex);
		work(0.9 * SECTION);
		pthread_mutex_unlock(&s->mutex);
		work(0.1 * SECTION);
	}
}

int main(int argc, char **argv)
{
	struct shared s = {.amount = work_amount(argc, argv), .mutex = PTHREAD_MUTEX_INITIALIZER};

	team_run(work_threads(), part, &s);
	return 0;
}
