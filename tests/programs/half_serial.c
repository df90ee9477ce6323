/* Half serial: one half of AMOUNT runs before the team of pthreads does the other half. */
#include "team.h"
#include "work.h"

static void part(const struct team_member *m)
{
	const double *const amount = m->arg;

	work(*amount / 2 / m->n);
}

int main(int argc, char **argv)
{
	double amount = work_amount(argc, argv);

	work(amount / 2);
	team_run(work_threads(), part, &amount);
	return 0;
}
