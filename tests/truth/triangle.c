/* The rows of a triangle: a later row is longer. */
#include "team.h"
#include "work.h"

#define ROWS 1000
#define UNIT (.4 / (ROWS / 2.0 * (ROWS + 1)))

static void part(const struct team_member *m)
{
#ifdef FIXED
	for (unsigned r = m->id; r < ROWS; r += m->n)
#else
	for (unsigned r = ROWS * m->id / m->n; r < ROWS * (m->id + 1) / m->n; r++)
#endif
		work(UNIT * (r + 1));
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
