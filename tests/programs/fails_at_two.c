/* Works with every number of threads but 2, where it exits with status 7 after a word. */
#include <stdio.h>

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

	if (work_threads() == 2) {
		fprintf(stderr, "two is one too many\n");
		return 7;
	}
	team_run(work_threads(), part, &amount);
	return 0;
}
