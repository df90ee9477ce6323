/* A pile of jobs, given out to processes. */
#include "crew.h"
#include "work.h"

static void part(unsigned id, unsigned n)
{
#ifdef FIXED
	(void)id;
	work(.4 / n);
#else
	work(n == 1 ? .4 : id ? .08 / (n - 1) : .32);
#endif
}

int main(void)
{
	crew_processes(work_threads(), part);
	return 0;
}
