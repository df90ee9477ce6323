/* Two threads write their words of one line, and then it dies of an address that is none.
 * "emulated": only under an emulator. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TIMES 20000

volatile long words[8] __attribute__((aligned(64)));

static void *count(void *arg)
{
	volatile long *const own = arg;

	for (int i = 0; i < TIMES; i++)
		(*own)++;
	return NULL;
}

/* QEMU runs the program as its own process, by its own name. */
static int is_emulated(void)
{
	char name[32] = "";
	FILE *const f = fopen("/proc/self/comm", "r");

	if (f && !fgets(name, sizeof name, f))
		name[0] = '\0';
	if (f)
		fclose(f);
	return strncmp(name, "qemu", 4) == 0;
}

int main(int argc, char **argv)
{
	volatile int *volatile nowhere = NULL;
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, count, (void *)&words[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (argc < 2 || strcmp(argv[1], "emulated") != 0 || is_emulated())
		*nowhere = 1;
	return 0;
}
