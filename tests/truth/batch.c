/* Batches of work, each done by a team. */
#include "team.h"
#include "work.h"

#ifdef FIXED
#define BATCHES 10
#else
#define BATCHES 6000
#endif

static void part(const struct team_member *m)
{
	work(.4 / BATCHES / m->n);
}

int main(void)
{
	for (int i = 0; i < BATCHES; i++)
		team_run(work_threads(), part, NULL);
	return 0;
}
