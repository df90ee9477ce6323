/* Becomes another program after a little work, in a child when told so. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sum;

int main(int argc, char **argv)
{
	char name[] = "true", *const words[] = {name, NULL};

	for (long i = 0; i < 100000; i++)
		sum += i;
	if (argc > 2 && fork() > 0)
		return wait(NULL) < 0;
	(void)argv;
	execvp(words[0], words);
	return 1;
}
