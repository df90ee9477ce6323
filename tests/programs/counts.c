/* Processes that add to one counter in memory they share: as many additions whatever
 * their number. */
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define ADDITIONS_PER_S 50e6

static void add(atomic_ulong *counter, unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		atomic_fetch_add(counter, 1);
}

int main(int argc, char **argv)
{
	const double amount = work_amount(argc, argv);
	const unsigned n = work_threads();
	atomic_ulong *const counter = mmap(
		NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (counter == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < n; i++)
		if (fork() == 0) {
			add(counter, (unsigned long)(amount * ADDITIONS_PER_S / n));
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
