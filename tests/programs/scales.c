/* Scales: AMOUNT of work that only computes, divided over a team of pthreads. */
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

	team_run(work_threads(), part, &amount);
	return 0;
}
