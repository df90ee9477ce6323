/* Hangs: waits for a signal that nobody sends. Writes its process id to FILE first, if given. */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *const f = argc > 1 ? fopen(argv[1], "a") : NULL;

	if (f) {
		fprintf(f, "%d\n", (int)getpid());
		fclose(f);
	}
	for (;;)
		pause();
}
