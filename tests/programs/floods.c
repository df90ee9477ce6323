/* Floods: prints MEGABYTES (1e6 bytes, 100 without the argument) of numbered lines. */
#include <stdio.h>

#include "work.h"

int main(int argc, char **argv)
{
	const unsigned long lines = (argc > 1 ? strtoul(argv[1], NULL, 10) : 100) * 10000;

	for (unsigned long i = 0; i < lines; i++)
		if (printf("%099lu\n", i) < 0)
			return 1;
	return fflush(stdout) == 0 ? 0 : 1;
}
