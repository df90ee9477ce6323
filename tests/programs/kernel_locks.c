/* Threads that share an object of the kernel, which lets one at a time use it: AMOUNT position |
 * inode | directory. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define BLOCK (1 << 20)

static char folder[] = "/dev/shm/kernel_locks.XXXXXX";
static char name[80];
static int fd;
static long rounds;
static const char *kind;

/* reading takes the position of the descriptor that all share */
static void use_position(char *block)
{
	if (lseek(fd, 0, SEEK_SET) == 0 && read(fd, block, BLOCK) != BLOCK && rounds < 0)
		_exit(1);
}

/* writing takes the file */
static void use_inode(char *block)
{
	if (pwrite(fd, block, BLOCK, 0) != BLOCK)
		_exit(1);
}

/* making and removing a name takes the directory */
static void use_directory(char *block)
{
	for (int i = 0; i < 64; i++) {
		snprintf(block, 200, "%s/%lx", folder, (unsigned long)pthread_self());
		close(open(block, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
		unlink(block);
	}
}

static void *run(void *of)
{
	char *const block = calloc(1, BLOCK);

	for (long i = 0; block && i < rounds; i++)
		(kind[0] == 'p' ? use_position : kind[0] == 'i' ? use_inode : use_directory)(block);
	free(block);
	return of;
}

int main(int argc, char **argv)
{
	const unsigned n = work_threads();
	pthread_t thread[64];
	char *const block = calloc(1, BLOCK);

	kind = argc > 2 ? argv[2] : "position";
	rounds = (long)(work_amount(argc, argv) * 1e4) / n;
	if (!block || !mkdtemp(folder) || n > 64)
		return 1;
	snprintf(name, sizeof name, "%s/file", folder);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, block, BLOCK) != BLOCK)
		return 1;
	for (unsigned i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	unlink(name);
	rmdir(folder);
	free(block);
	return 0;
}
