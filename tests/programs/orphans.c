/* Leaves a child behind, in a session of its own, that writes its process id to FILE and sleeps. */
#include <stdio.h>
#include <unistd.h>

#include "work.h"

int main(int argc, char **argv)
{
	int ready[2];
	char byte;

	if (argc < 2 || pipe(ready) != 0)
		return 1;
	if (fork() == 0) {
		FILE *const f = fopen(argv[1], "a");

		setsid();
		if (!f)
			_exit(1);
		fprintf(f, "%d\n", (int)getpid());
		fclose(f);
		close(ready[0]);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	/* the child has closed its end: its process id is in the file */
	if (read(ready[0], &byte, 1) != 0)
		return 1;
	work(0.05);
	return 0;
}
