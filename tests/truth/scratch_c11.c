/* Steps with scratch memory of their own. */
#include "crew.h"
#include "work.h"

#define STEPS 4000
#define BYTES (256u << 10)

static void part(unsigned id, unsigned n)
{
	char *const scratch =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (scratch == MAP_FAILED)
		abort();
	for (unsigned i = id; i < STEPS; i += n) {
		for (unsigned at = 0; at < BYTES; at += 4096)
			scratch[at]++;
		work(.2 / STEPS);
#ifndef FIXED
		madvise(scratch, BYTES, MADV_DONTNEED);
#endif
	}
}

int main(void)
{
	crew_threads(work_threads(), part);
	return 0;
}
