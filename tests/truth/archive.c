/* An index is made, then processes pack the files. */
#include "crew.h"
#include "work.h"

#ifdef FIXED
static const double index_first = 0;
#else
static const double index_first = .2;
#endif

static void pack(unsigned id, unsigned n)
{
	(void)id;
	work((.4 - index_first) / n);
}

int main(void)
{
	work(index_first);
	crew_processes(work_threads(), pack);
	return 0;
}
