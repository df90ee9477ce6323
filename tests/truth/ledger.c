/* Entries booked to accounts, each under a mutex. */
#include "team.h"
#include "work.h"

#define ENTRIES 8000
#define EACH (.4 / ENTRIES)

#ifdef FIXED
static const unsigned accounts = TEAM_MAX;
#else
static const unsigned accounts = 1;
#endif

struct account {
	_Alignas(128) pthread_mutex_t mutex;
	uint64_t sum;
};
static struct account account[TEAM_MAX];

static void part(const struct team_member *m)
{
	struct account *const a = &account[m->id % accounts];

	for (unsigned i = m->id; i < ENTRIES; i += m->n) {
		pthread_mutex_lock(&a->mutex);
		a->sum += work(.9 * EACH);
		pthread_mutex_unlock(&a->mutex);
		work(.1 * EACH);
	}
}

int main(void)
{
	for (unsigned i = 0; i < TEAM_MAX; i++)
		pthread_mutex_init(&account[i].mutex, NULL);
	team_run(work_threads(), part, NULL);
	return 0;
}
