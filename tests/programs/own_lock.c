/* Each thread sleeps 5 ms at a time while it holds the one lock, which is none of the C library's:
 * a word that is 0 free, 1 held, 2 waited for (Drepper, "Futexes are tricky"), where only small
 * locks may stand. */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "team.h"
#include "work.h"

static struct {
	_Alignas(8) unsigned before;
	atomic_uint word;
} own;
static long sections;

static void take(void)
{
	unsigned was = 0;

	if (atomic_compare_exchange_strong(&own.word, &was, 1))
		return;
	while (atomic_exchange(&own.word, 2) != 0)
		syscall(SYS_futex, &own.word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void give(void)
{
	if (atomic_exchange(&own.word, 0) == 2)
		syscall(SYS_futex, &own.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void part(const struct team_member *m)
{
	const struct timespec nap = {.tv_nsec = 5000000};

	for (long i = 0; i < sections / m->n; i++) {
		take();
		nanosleep(&nap, NULL);
		give();
		nanosleep(&(const struct timespec){.tv_nsec = 100000}, NULL);
	}
}

int main(int argc, char **argv)
{
	sections = (long)(work_amount(argc, argv) / 5e-3);
	team_run(work_threads(), part, NULL);
	return 0;
}
