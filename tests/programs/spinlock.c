/* All threads want the one spinlock most of the time: a test-and-set of the program's own, with a
 * look before, and work while it is held. */
#include <stdatomic.h>

#include "team.h"
#include "work.h"

#define SECTION 1e-5 /* of the amount: some 10 us */

static atomic_int word;
static atomic_long left;

__attribute__((noipa)) static void take(atomic_int *lock)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire))
		while (atomic_load_explicit(lock, memory_order_relaxed))
			;
}

static void part(const struct team_member *m)
{
	(void)m;
	while (atomic_fetch_sub(&left, 1) > 0) {
		take(&word);
		work(SECTION);
		atomic_store_explicit(&word, 0, memory_order_release);
	}
}

int main(int argc, char **argv)
{
	left = (long)(work_amount(argc, argv) / SECTION);
	team_run(work_threads(), part, NULL);
	return 0;
}
