/* Crashes: works, then dies of SIGSEGV. */
#include <signal.h>

#include "work.h"

int main(int argc, char **argv)
{
	work(work_amount(argc, argv));
	raise(SIGSEGV);
	return 0;
}
