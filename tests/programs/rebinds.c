/* Rebinds itself: every member of the team sets its affinity to all CPUs, wherever it was put. */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "team.h"
#include "work.h"

static void part(const struct team_member *m)
{
	const double *const amount = m->arg;
	const long n = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t all;

	CPU_ZERO(&all);
	for (long i = 0; i < n && i < CPU_SETSIZE; i++)
		CPU_SET((size_t)i, &all);
	sched_setaffinity(0, sizeof all, &all);
	work(*amount / m->n);
}

int main(int argc, char **argv)
{
	double amount = work_amount(argc, argv);

	team_run(work_threads(), part, &amount);
	return 0;
}
