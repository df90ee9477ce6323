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
static int fd, in; /* the file, and its folder */
static long rounds;
static const char *kind;

/* Reads the file once. Reading takes the position of the descriptor that all share; where another
 * thread has read since this one went back to the start, there is nothing, and it goes back again.
 */
static void use_position(char *block)
{
	do
		if (lseek(fd, 0, SEEK_SET) != 0)
			_exit(1);
	while (read(fd, block, BLOCK) != BLOCK);
}

/* writing takes the file */
static void use_inode(char *block)
{
	if (pwrite(fd, block, BLOCK, 0) != BLOCK)
		_exit(1);
}

/* giving a file another name and taking it again takes the directory for half of the time and more,
 * making and removing a file for a tenth */
static void use_directory(char *block)
{
	snprintf(block, 200, "%lx", (unsigned long)pthread_self());
	for (int i = 0; i < 16; i++)
		if (linkat(in, "file", in, block, 0) != 0 || unlinkat(in, block, 0) != 0)
			_exit(1);
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
	in = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || in < 0 || write(fd, block, BLOCK) != BLOCK)
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
