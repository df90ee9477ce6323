/* Rounds of work, with a pause for the device in each. */
#include <time.h>

#include "team.h"
#include "work.h"

#define ROUNDS 40

#ifdef FIXED
static const long pause_ns = 0;
#else
static const long pause_ns = 5000000;
#endif

static void part(const struct team_member *m)
{
	for (int i = 0; i < ROUNDS; i++) {
		work(.4 / ROUNDS / m->n);
		if (pause_ns)
			nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
	}
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
