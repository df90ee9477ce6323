/* Runs are sorted by all and merged. */
#include "crew.h"
#include "work.h"

#ifdef FIXED
static const double merged_by_all = 1;
#else
static const double merged_by_all = 0;
#endif

static void sort_runs(unsigned id, unsigned n)
{
	(void)id;
	work((.2 + .2 * merged_by_all) / n);
}

int main(void)
{
	crew_threads(work_threads(), sort_runs);
	work(.2 * (1 - merged_by_all));
	return 0;
}
