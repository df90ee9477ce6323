/* Ends after 5 ms of work; a child of its child, in a session of its own, does the rest. */
#include <unistd.h>

#include "work.h"

int main(int argc, char **argv)
{
	const double amount = work_amount(argc, argv);

	work(.005);
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			work(amount);
		_exit(0);
	}
	return 0;
}
