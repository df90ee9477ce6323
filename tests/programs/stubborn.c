/*
 * Hard to end: ignores every signal it may, starts two children in sessions of their own, one of
 * them orphaned, and sleeps. All write their process ids to FILE.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void stay(const char *path)
{
	FILE *const f = fopen(path, "a");

	if (!f)
		_exit(1);
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	for (int s = 1; s < 32; s++)
		signal(s, SIG_IGN);
	if (fork() == 0) {
		setsid();
		stay(argv[1]);
	}
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			stay(argv[1]);
		_exit(0);
	}
	stay(argv[1]);
}
