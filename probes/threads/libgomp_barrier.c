#include "threads/libgomp_barrier.h"

#include <string.h>
#include <sys/uio.h>

/* Words by their place behind the first one read. */
enum {
	POOL_THREADS = 0, /* and the next word: a pointer */
	POOL_SIZE = 2,
	POOL_USED = 3,
	TOTAL = 16,
	AWAITED = 32,
	AWAITED_FINAL = 33,
};

#define BELOW 68u /* bytes before the futex: the pool's head, and `total` */

enum sd_libgomp_barrier sd_libgomp_barrier_classify(
	const uint32_t word[SD_LIBGOMP_BARRIER_WORDS], unsigned threads)
{
	const uint32_t total = word[TOTAL], awaited = word[AWAITED], final = word[AWAITED_FINAL];
	uint64_t pool;

	if (total < 2 || total > threads || awaited < 1 || awaited > total || final < 1 ||
		final > total)
		return SD_LIBGOMP_BARRIER_UNKNOWN;
	if (final < total)
		return awaited == total ? SD_LIBGOMP_BARRIER_REGION : SD_LIBGOMP_BARRIER_UNKNOWN;
	if (awaited == total)
		return SD_LIBGOMP_BARRIER_UNKNOWN;
	memcpy(&pool, &word[POOL_THREADS], sizeof pool);
	if (pool && pool % sizeof(void *) == 0 && word[POOL_USED] == total &&
		word[POOL_SIZE] >= total)
		return SD_LIBGOMP_BARRIER_DOCK;
	return SD_LIBGOMP_BARRIER_REGION;
}

enum sd_libgomp_barrier sd_libgomp_barrier_read(int pid, uint64_t futex, unsigned threads)
{
	uint32_t word[SD_LIBGOMP_BARRIER_WORDS] = {0};
	const struct iovec here = {.iov_base = word, .iov_len = sizeof word};
	struct iovec there = {.iov_len = sizeof word};

	if (futex % 8 != 4 || futex <= BELOW || futex > UINTPTR_MAX - sizeof word)
		return SD_LIBGOMP_BARRIER_UNKNOWN;
	/* an address of the other process, which only the kernel follows */
	there.iov_base = (void *)(uintptr_t)(futex - BELOW); /* NOLINT(performance-no-int-to-ptr) */
	if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)sizeof word)
		return SD_LIBGOMP_BARRIER_UNKNOWN;
	return sd_libgomp_barrier_classify(word, threads);
}
