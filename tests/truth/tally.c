/* Each member counts what it finds below its limit, which is read again each time: a store alone
 * can wait in a buffer, and some processors hand it to the next load of the same word in no time.
 */
#include "team.h"
#include "work.h"

#define COUNTS (720000000 / SMALLER)

struct count {
#ifdef FIXED
	_Alignas(128)
#endif
		volatile uint64_t found;
	volatile uint64_t limit;
};
static struct count count[TEAM_MAX];

static void part(const struct team_member *m)
{
	count[m->id].limit = 128;
	for (unsigned i = m->id; i < COUNTS; i += m->n)
		if ((i >> 1 & 255) < count[m->id].limit)
			count[m->id].found += i & 1;
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
