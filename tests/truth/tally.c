/* Each member counts what it finds. */
#include "team.h"
#include "work.h"

#define COUNTS (240000000 / SMALLER)

struct count {
#ifdef FIXED
	_Alignas(128)
#endif
		volatile uint64_t found;
};
static struct count count[TEAM_MAX];

static void part(const struct team_member *m)
{
	for (unsigned i = m->id; i < COUNTS; i += m->n)
		count[m->id].found += i & 1;
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
