/*
 * Mutex-bound: 0.9 of the work is done while holding one mutex, in sections of about 0.1 ms. The
 * threads share the sections: the mutex is not fair, and with a share of its own the thread it
 * favours would end long before the others, which then would have to run alone.
 */
#include "team.h"
#include "work.h"

#define SECTION 1e-4

struct shared {
	long sections;
	pthread_mutex_t mutex;
};

static void part(const struct team_member *m)
{
	struct shared *const s = m->arg;

	for (;;) {
		int left;

		pthread_mutex_lock(&s->mutex);
		left = s->sections > 0;
		if (left) {
			s->sections--;
			work(0.9 * SECTION);
		}
		pthread_mutex_unlock(&s->mutex);
		if (!left)
			return;
		work(0.1 * SECTION);
	}
}

int main(int argc, char **argv)
{
	struct shared s = {.sections = (long)(work_amount(argc, argv) / SECTION),
		.mutex = PTHREAD_MUTEX_INITIALIZER};

	team_run(work_threads(), part, &s);
	return 0;
}
