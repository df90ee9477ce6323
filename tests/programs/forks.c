/* Scales with processes: AMOUNT of work divided over as many children as threads were asked for. */
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

int main(int argc, char **argv)
{
	const double amount = work_amount(argc, argv);
	const unsigned n = work_threads();

	for (unsigned i = 0; i < n; i++)
		if (fork() == 0) {
			work(amount / n);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
