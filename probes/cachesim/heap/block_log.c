#include "heap/block_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "trace/heap_log.h"
#include "trace/log_room.h"

/* The least size of a page: a stack goes on to the end of its page for sure. */
#define PAGE 4096u

static struct sd_heap_log *rows; /* never unmapped: other threads may be writing */
static int *listens;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The log is the parent's. */
static void fall_silent(void)
{
	*listens = 0;
}

static void *map_log(const char *folder)
{
	char path[4096];
	void *at = MAP_FAILED;
	int fd;

	if (snprintf(path, sizeof path, "%s/%d" SD_HEAP_LOG_SUFFIX, folder, (int)getpid()) >=
		(int)sizeof path)
		return MAP_FAILED;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return MAP_FAILED;
	if (sd_log_room_reserve(fd, 0, sizeof *rows) == 0)
		at = mmap(NULL, sizeof *rows, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at;
}

int block_log_open(int *listening)
{
	const char *const folder = getenv("SCALEDIAG_HEAP_FOLDER");
	const int error = errno;
	void *at;

	if (!folder)
		return 0;
	listens = listening;
	at = map_log(folder);
	if (at != MAP_FAILED && pthread_atfork(NULL, NULL, fall_silent) == 0) {
		rows = at;
		rows->size_of_block = sizeof rows->block[0];
		rows->pid = (uint32_t)getpid();
		rows->magic = SD_HEAP_LOG_MAGIC;
		*listening = 1;
	}
	errno = error;
	return 1;
}

void block_log_add(uintptr_t start, uintptr_t bytes, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	const uint64_t n = __atomic_fetch_add(&rows->given, 1, __ATOMIC_RELAXED);
	const size_t left = PAGE - sp % PAGE;
	struct sd_heap_block *b;

	if (n >= SD_HEAP_LOG_BLOCKS) {
		*listens = 0;
		if (n == SD_HEAP_LOG_BLOCKS)
			rows->full = now();
		return;
	}
	b = &rows->block[n];
	b->start = start;
	b->bytes = bytes;
	b->pc = pc;
	b->sp = sp;
	b->fp = fp;
	b->copied = left < sizeof b->stack ? (uint32_t)left : sizeof b->stack;
	memcpy(b->stack, (const void *)sp, b->copied); /* NOLINT: an address of its caller's */
	__atomic_store_n(&b->time, now(), __ATOMIC_RELEASE);
}
