/* Prints something else every time, after work that scales. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "team.h"
#include "work.h"

static void part(const struct team_member *m)
{
	const double *const amount = m->arg;

	work(*amount / m->n);
}

int main(int argc, char **argv)
{
	double amount = work_amount(argc, argv);
	struct timespec t;

	team_run(work_threads(), part, &amount);
	clock_gettime(CLOCK_REALTIME, &t);
	printf("%d %lld.%09ld\n", (int)getpid(), (long long)t.tv_sec, t.tv_nsec);
	return 0;
}
