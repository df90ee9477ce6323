/* A queue of jobs behind a mutex and a condition; member 0 fills it before it takes from it. */
#include "team.h"
#include "work.h"

#define JOBS 4000
#define EACH (.4 / JOBS)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static unsigned left = 0, ready = 0;

static int take(void)
{
	int any;

	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&filled, &mutex);
	any = left > 0;
	left -= (unsigned)any;
#ifdef FIXED
	pthread_mutex_unlock(&mutex);
	if (any)
		work(EACH);
#else
	if (any)
		work(EACH);
	pthread_mutex_unlock(&mutex);
#endif
	return any;
}

static void part(const struct team_member *m)
{
	if (m->id == 0) {
		pthread_mutex_lock(&mutex);
		left = JOBS;
		ready = 1;
		pthread_cond_broadcast(&filled);
		pthread_mutex_unlock(&mutex);
	}
	while (take())
		;
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
