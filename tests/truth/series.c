/* Terms of a series; each needs a table that is made first. */
#include "team.h"
#include "work.h"

#define TERMS 100

static void part(const struct team_member *m)
{
#ifdef FIXED
	work(.2 / SMALLER / m->n);
#else
	work(.2 / SMALLER);
#endif
	for (unsigned i = m->id; i < TERMS; i += m->n)
		work(.2 / SMALLER / TERMS);
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
