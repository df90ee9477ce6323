/* Spins: member 0 does all the work, the others watch a flag until it has. */
#include <stdatomic.h>

#include "team.h"
#include "work.h"

struct shared {
	double amount;
	atomic_int done;
};

__attribute__((noinline)) static void watch(atomic_int *flag)
{
	while (!atomic_load_explicit(flag, memory_order_acquire))
		;
}

static void part(const struct team_member *m)
{
	struct shared *const s = m->arg;

	if (m->id != 0) {
		watch(&s->done);
		return;
	}
	work(s->amount);
	atomic_store_explicit(&s->done, 1, memory_order_release);
}

int main(int argc, char **argv)
{
	struct shared s = {.amount = work_amount(argc, argv)};

	team_run(work_threads(), part, &s);
	return 0;
}
