/* Households counted by district, then the districts compared. */
#include "team.h"
#include "work.h"

#define HOUSEHOLDS 24000000

#ifdef FIXED
#define APART 16
static const double first = 1;
#else
#define APART 1
static const double first = 4;
#endif

static volatile uint64_t district[TEAM_MAX * APART];
static pthread_barrier_t counted;

static void part(const struct team_member *m)
{
	volatile uint64_t *const mine = &district[m->id * APART];

	for (unsigned i = m->id; i < HOUSEHOLDS; i += m->n)
		*mine += i & 3;
	pthread_barrier_wait(&counted);
	work(.25 * (m->id == 0 ? first : 1) / (first + (m->n - 1)));
}

int main(void)
{
	const unsigned n = work_threads();

	pthread_barrier_init(&counted, NULL, n);
	team_run(n, part, NULL);
	return 0;
}
