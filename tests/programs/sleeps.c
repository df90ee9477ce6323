/* Sleeps: AMOUNT of work divided over the team, then every member sleeps AMOUNT seconds. */
#include <time.h>

#include "team.h"
#include "work.h"

static void part(const struct team_member *m)
{
	const double *const amount = m->arg;
	const struct timespec t = {.tv_sec = (time_t)*amount,
		.tv_nsec = (long)((*amount - (double)(time_t)*amount) * 1e9)};

	work(*amount / m->n);
	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	double amount = work_amount(argc, argv);

	team_run(work_threads(), part, &amount);
	return 0;
}
