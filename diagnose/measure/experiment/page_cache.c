#include "experiment/page_cache.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* cachestat(2), Linux 6.5; the C library of Debian 12 does not know it. The same on every machine
 * that has it. */
#define CACHESTAT 451
struct range {
	uint64_t offset, length;
};
struct answer {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

#define WINDOW ((size_t)1 << 26) /* mapped at a time */

static double page_bytes(void)
{
	return (double)sysconf(_SC_PAGESIZE);
}

static double at_most(double bytes, double size)
{
	return bytes < size ? bytes : size;
}

/* As the kernel decides whether mincore() tells the truth (mm/mincore.c, can_do_mincore). */
static int ours(int fd)
{
	struct stat st;
	char path[32];

	if (fstat(fd, &st))
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return st.st_uid == geteuid() || geteuid() == 0 || access(path, W_OK) == 0;
}

/* Pages of one window that are cached; -1 when it cannot be mapped. */
static double window_pages(int fd, off_t from, size_t size)
{
	unsigned char in[WINDOW / 4096]; /* no page is smaller */
	const size_t page = (size_t)page_bytes(), n = (size + page - 1) / page;
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, from);
	double pages = 0;

	if (map == MAP_FAILED)
		return -1;
	if (mincore(map, size, in))
		pages = -1;
	for (size_t i = 0; i < n && pages >= 0; i++)
		pages += in[i] & 1;
	munmap(map, size);
	return pages;
}

static struct sd_value by_mincore(int fd, double size)
{
	double pages = 0;

	if (!ours(fd))
		return SD_NOT(DENIED);
	for (off_t at = 0; (double)at < size; at += (off_t)WINDOW) {
		const size_t bytes = (size_t)at_most((double)WINDOW, size - (double)at);
		const double n = window_pages(fd, at, bytes);

		if (n < 0)
			return SD_NOT(UNSUPPORTED);
		pages += n;
	}
	return SD_OK(at_most(pages * page_bytes(), size));
}

struct sd_value sd_page_cache_bytes(int fd, double size)
{
	struct range range = {0, 0}; /* length 0: to the end */
	struct answer answer = {0};

	if (syscall(CACHESTAT, fd, &range, &answer, 0) == 0)
		return SD_OK(at_most((double)answer.cached * page_bytes(), size));
	if (errno == EPERM)
		return SD_NOT(DENIED);
	return by_mincore(fd, size);
}
