/*
 * scalediag.h: a program says how much work it has got done, so that `scalediag attach` can tell
 * how its throughput scales while it runs. Header only, C99 and C++, no library; free to copy into
 * any program.
 *
 *   #include "scalediag.h"
 *   sd_progress("requests", 1);
 *
 * Counts go into the file that the environment names, SCALEDIAG_MARKERS=/path, when the program is
 * started; without it a call costs a load and a branch. Threads, children and ranks of one machine
 * may share the file: counts are added. In a static program, and in an emulated one, it works as in
 * any other. Linux, GCC or clang.
 */
#ifndef SCALEDIAG_H
#define SCALEDIAG_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file, as its readers know it: SD_MARKER_ROWS rows of counters, by name ---- */

#define SD_MARKER_MAGIC UINT64_C(0x316b72616d6473) /* "sdmark1" on a little-endian machine */
#define SD_MARKER_ROWS 64u
#define SD_MARKER_SLOTS 16u /* threads take turns, each on a cache line of its own */
#define SD_MARKER_NAME 56u  /* longer names are cut */

struct sd_marker_row {
	uint32_t state; /* SD_MARKER_READY: `name` is there to stay */
	uint32_t unused;
	char name[SD_MARKER_NAME];
	struct {
		uint64_t count;
		uint64_t unused[7];
	} slot[SD_MARKER_SLOTS];
};

struct sd_marker_file {
	uint64_t magic;
	uint64_t unused[7];
	struct sd_marker_row row[SD_MARKER_ROWS];
};

enum { SD_MARKER_FREE, SD_MARKER_TAKEN, SD_MARKER_READY };

#ifndef SD_MARKER_LAYOUT_ONLY /* a reader of the file */

/* ---- what a program calls ---- */

/* NAME has got N more done. Its row is looked for once at each place. */
#define sd_progress(name, n)                                                    \
	do {                                                                    \
		static struct sd_marker_row *sd_row_;                           \
		if (__builtin_expect(sd_marker_state.mode != SD_MARKER_OFF, 0)) \
			sd_marker_add(&sd_row_, (name), (uint64_t)(n));         \
	} while (0)

/* ---- how ---- */

enum { SD_MARKER_UNKNOWN, SD_MARKER_OFF, SD_MARKER_ON };

/* One for the whole program, whatever number of its files include this. */
struct sd_marker_state {
	int mode;
	unsigned threads;
	struct sd_marker_file *file;
};
__attribute__((weak)) struct sd_marker_state sd_marker_state;

/* Maps the file, which the first that comes makes. 0: markers are off. */
__attribute__((unused, noinline, cold)) static int sd_marker_open(void)
{
	const char *const path = getenv("SCALEDIAG_MARKERS");
	struct stat st;
	void *map = MAP_FAILED;
	int fd;

	if (!path || !*path)
		return 0;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return 0;
	/* of another length it is somebody else's: it is left alone */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		(st.st_size == (off_t)sizeof(struct sd_marker_file) ||
			(st.st_size == 0 &&
				ftruncate(fd, (off_t)sizeof(struct sd_marker_file)) == 0)))
		map = mmap(NULL, sizeof(struct sd_marker_file), PROT_READ | PROT_WRITE, MAP_SHARED,
			fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 0;
	sd_marker_state.file = (struct sd_marker_file *)map;
	__atomic_store_n(&sd_marker_state.file->magic, SD_MARKER_MAGIC, __ATOMIC_RELEASE);
	return 1;
}

/* The row of that name, taken when there is none. NULL: all are taken. */
__attribute__((unused, noinline, cold)) static struct sd_marker_row *sd_marker_find(
	const char *name)
{
	for (unsigned i = 0; i < SD_MARKER_ROWS; i++) {
		struct sd_marker_row *const row = &sd_marker_state.file->row[i];
		uint32_t is_free = SD_MARKER_FREE;

		if (__atomic_compare_exchange_n(&row->state, &is_free, (uint32_t)SD_MARKER_TAKEN, 0,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			const size_t n = strlen(name);

			memcpy(row->name, name, n < SD_MARKER_NAME - 1 ? n : SD_MARKER_NAME - 1);
			__atomic_store_n(&row->state, (uint32_t)SD_MARKER_READY, __ATOMIC_RELEASE);
			return row;
		}
		/* another thread writes the name this instant; one that died there has a row less
		 */
		for (int k = 0; k < 1000000; k++)
			if (__atomic_load_n(&row->state, __ATOMIC_ACQUIRE) != SD_MARKER_TAKEN)
				break;
		if (__atomic_load_n(&row->state, __ATOMIC_ACQUIRE) == SD_MARKER_READY &&
			strncmp(row->name, name, SD_MARKER_NAME - 1) == 0)
			return row;
	}
	return NULL;
}

__attribute__((unused, noinline)) static void sd_marker_add(
	struct sd_marker_row **place, const char *name, uint64_t n)
{
	static __thread unsigned number; /* of this thread, + 1 */
	struct sd_marker_row *row = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (!row) {
		if (__atomic_load_n(&sd_marker_state.mode, __ATOMIC_ACQUIRE) == SD_MARKER_UNKNOWN) {
			/* two threads may both map it: it is the same file */
			const int mode = sd_marker_open() ? SD_MARKER_ON : SD_MARKER_OFF;

			__atomic_store_n(&sd_marker_state.mode, mode, __ATOMIC_RELEASE);
		}
		if (__atomic_load_n(&sd_marker_state.mode, __ATOMIC_ACQUIRE) != SD_MARKER_ON)
			return;
		row = sd_marker_find(name);
		if (!row)
			return;
		__atomic_store_n(place, row, __ATOMIC_RELEASE);
	}
	if (!number)
		number = 1 + __atomic_fetch_add(&sd_marker_state.threads, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&row->slot[number % SD_MARKER_SLOTS].count, n, __ATOMIC_RELAXED);
}

#endif
#endif
