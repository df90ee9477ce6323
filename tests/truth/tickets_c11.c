/* Tickets sold at a desk behind a C11 mutex. */
#include "crew.h"
#include "work.h"

#define TICKETS 4000
#define EACH (.4 / TICKETS)

#ifdef FIXED
static const unsigned desks = CREW_MAX;
#else
static const unsigned desks = 1;
#endif

static mtx_t desk[CREW_MAX];

static void sell(unsigned id, unsigned n)
{
	for (unsigned i = id; i < TICKETS; i += n) {
		mtx_lock(&desk[id % desks]);
		work(.9 * EACH);
		mtx_unlock(&desk[id % desks]);
		work(.1 * EACH);
	}
}

int main(void)
{
	for (unsigned i = 0; i < CREW_MAX; i++)
		mtx_init(&desk[i], mtx_plain);
	crew_threads(work_threads(), sell);
	return 0;
}
