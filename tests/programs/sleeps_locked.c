/* Each thread sleeps 5 ms at a time while it holds the one mutex: the others wait, however busy the
 * machine is. */
#include "team.h"
#include "work.h"

struct shared {
	long sections;
	pthread_mutex_t mutex;
};

static struct shared shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void part(const struct team_member *m)
{
	const struct timespec nap = {.tv_nsec = 5000000};
	struct shared *const s = m->arg;

	for (long i = 0; i < s->sections / m->n; i++) {
		pthread_mutex_lock(&s->mutex);
		nanosleep(&nap, NULL);
		pthread_mutex_unlock(&s->mutex);
		nanosleep(&(const struct timespec){.tv_nsec = 100000}, NULL);
	}
}

int main(int argc, char **argv)
{
	shared.sections = (long)(work_amount(argc, argv) / 5e-3);
	team_run(work_threads(), part, &shared);
	return 0;
}
