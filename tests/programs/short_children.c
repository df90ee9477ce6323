/* A thousand children, one after the other: never more than two processes at a time. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		if (fork() == 0)
			_exit(0);
		if (wait(NULL) < 0)
			return 1;
	}
	return 0;
}
