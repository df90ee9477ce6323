/*
 * scalediag.h: a program names the parts that it consists of, and says how much work it has got
 * done. Header only, C and C++, no library; free to copy into any program. Fortran: scalediag.f90.
 *
 *   sd_region_begin("solve"); ... sd_region_end("solve");
 *   sd_progress("requests", 1);
 *
 * Any number of threads may be in a region at once, and again and again; regions nest. Mark phases,
 * not the inside of loops: an entry costs some 100 ns. `scalediag --region solve ./app` is of it.
 *
 * All goes into the file SCALEDIAG_MARKERS=/path, which `scalediag run` sets and which is mapped
 * before main(); without it a call costs a load and a branch. The first process of a run makes the
 * file, 11.7 MB of the disk's room, in some 4 ms; another maps it in .3 ms; of memory it has the
 * pages that are written to. Works in static and emulated programs. GCC or clang; -D_GNU_SOURCE.
 */
#ifndef SCALEDIAG_H
#define SCALEDIAG_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the file, as its readers know it ---- */

#define SD_MARKER_MAGIC UINT64_C(0x336b72616d6473) /* "sdmark3" on a little-endian machine */
#define SD_MARKER_ROWS 1024u
#define SD_MARKER_SLOTS 16u     /* threads take turns, each on a cache line of its own */
#define SD_MARKER_NAME 48u      /* longer names are cut */
#define SD_MARKER_DEPTH 32u     /* regions of a thread inside one another */
#define SD_MARKER_MARKS 131072u /* begins and ends of the region that is judged */
#define SD_MARKER_LASTS 128u
#define SD_MARKER_TIMED (1ull << 63)
#define SD_MARKER_TICK 64u /* ns: unit of an entry's length among the marks */

/* Progress, or a region of one process. Times are of CLOCK_MONOTONIC, ns. */
struct sd_marker_row {
	uint32_t state;   /* SD_MARKER_READY: name and process are there to stay */
	uint32_t process; /* of a region; 0: progress */
	uint32_t most;    /* threads in it at once */
	uint32_t marked;  /* among the marks are, 1: its begins and ends; 2: its entries */
	char name[SD_MARKER_NAME];
	uint64_t inside;     /* threads in it now; SD_MARKER_TIMED: its CPU time is taken */
	uint64_t unmatched;  /* ends without a begin; begins that another one's end ended */
	uint64_t wall;       /* with a thread in it: the sum of ends less that of begins */
	uint64_t timed, cpu; /* of that, where CPU time was read; CPU time of the process */
	uint64_t timed_at;   /* when it was read last */
	uint64_t unused[2];
	struct {
		uint64_t count, ns; /* of a region: entries, and the threads' times in it */
		uint64_t unused[6];
	} slot[SD_MARKER_SLOTS];
};

struct sd_marker_file {
	uint64_t magic;
	uint32_t no_row, too_deep; /* entries for which there was no room */
	uint32_t marks;            /* also those beyond the last */
	uint32_t unused[11];
	struct sd_marker_row row[SD_MARKER_ROWS];
	struct {
		uint64_t time; /* 0: not written yet */
		uint32_t process;
		int32_t step; /* 1: a first thread enters it; -1: the last one leaves it; else
				 thread `process` was in it from `time` on, for step - 2 ticks */
	} mark[SD_MARKER_MARKS];
	uint32_t lasted[SD_MARKER_ROWS][SD_MARKER_SLOTS][SD_MARKER_LASTS]; /* entries, by length */
};

enum { SD_MARKER_FREE, SD_MARKER_TAKEN, SD_MARKER_READY };

/* Which of `lasted` that is: four to a doubling, from 1 us to an hour. */
__attribute__((unused)) static unsigned sd_region_last(uint64_t ns)
{
	const uint64_t t = ns > 1024 ? ns : 1024;
	const unsigned twos = 63u - (unsigned)__builtin_clzll(t);
	const unsigned at = 4 * (twos - 10) + (unsigned)(t >> (twos - 2) & 3);

	return at < SD_MARKER_LASTS ? at : SD_MARKER_LASTS - 1;
}

#ifndef SD_MARKER_LAYOUT_ONLY /* a reader of the file */

/* ---- what a program calls ---- */

/* NAME has got N more done. Its row is looked for once at each place. */
#define sd_progress(name, n)                                            \
	do {                                                            \
		static struct sd_marker_row *sd_row_;                   \
		if (sd_marker_wanted())                                 \
			sd_marker_add(&sd_row_, (name), (uint64_t)(n)); \
	} while (0)

/* The calling thread enters the region of that name, and leaves it. */
#define sd_region_begin(name) (sd_marker_wanted() ? sd_region_enter(name) : (void)0)
#define sd_region_end(name) (sd_marker_wanted() ? sd_region_leave(name) : (void)0)

#define sd_marker_wanted() \
	__builtin_expect(sd_marker_read(&sd_marker_state.mode) != SD_MARKER_OFF, 0)
#define SD_MARKER_FUNCTION __attribute__((unused)) static
#define sd_marker_more(sum, n) __atomic_fetch_add((sum), (n), __ATOMIC_RELAXED)
#define sd_marker_read(word) __atomic_load_n((word), __ATOMIC_RELAXED)

enum { SD_MARKER_UNKNOWN, SD_MARKER_OPENING, SD_MARKER_OFF, SD_MARKER_ON };

/* One for the whole program, whatever number of its files include this. */
struct sd_marker_state {
	int mode;
	unsigned threads;
	struct sd_marker_file *file;
	volatile uint32_t *process; /* a child of fork() finds 0 there; NULL: no such page */
	const char *judged; /* the region whose marks are wanted, "*" ahead: entries; NULL: none */
};
__attribute__((weak)) struct sd_marker_state sd_marker_state;

/* The regions that a thread is in. */
struct sd_marker_thread {
	unsigned number; /* + 1 */
	unsigned depth, beyond;
	struct {
		struct sd_marker_row *row; /* NULL: there was none left */
		uint64_t since;            /* 0: the thread was in it already */
	} open[SD_MARKER_DEPTH];
};
__attribute__((weak)) __thread struct sd_marker_thread sd_marker_thread;

/* Its room on the disk: a store where there is none would be a SIGBUS, and to grow beyond ulimit -f
 * a SIGXFSZ. */
__attribute__((unused, noinline, cold)) static int sd_marker_reserve(int fd)
{
	const off_t size = (off_t)sizeof(struct sd_marker_file);
	struct rlimit limit;
	struct stat st;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
		(limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < (rlim_t)size))
		return -1;
	if (posix_fallocate(fd, 0, size) == 0)
		return 0;
	/* a part of it is of no use, except to another process that got it all meanwhile */
	(void)!(fstat(fd, &st) == 0 && st.st_size < size && ftruncate(fd, 0));
	return -1;
}

/* Maps the file, which the first that comes makes. 0: markers are off. */
__attribute__((unused, noinline, cold)) static int sd_marker_open(void)
{
	const char *const path = getenv("SCALEDIAG_MARKERS");
	void *map = MAP_FAILED;
	struct stat st;
	int fd;

	if (!path || !*path)
		return 0;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return 0;
	/* of another length it is somebody else's: it is left alone */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		(st.st_size == (off_t)sizeof(struct sd_marker_file) ||
			(st.st_size == 0 && sd_marker_reserve(fd) == 0)))
		map = mmap(NULL, sizeof(struct sd_marker_file), PROT_READ | PROT_WRITE, MAP_SHARED,
			fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 0;
	sd_marker_state.file = (struct sd_marker_file *)map;
	sd_marker_state.judged = getenv("SCALEDIAG_REGION");
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map != MAP_FAILED && madvise(map, 4096, 18 /* MADV_WIPEONFORK */) == 0) {
		sd_marker_state.process = (volatile uint32_t *)map;
		*sd_marker_state.process = (uint32_t)getpid();
	}
	__atomic_store_n(&sd_marker_state.file->magic, SD_MARKER_MAGIC, __ATOMIC_RELEASE);
	return 1;
}

/* The row of that name and process, taken when there is none. NULL: all are taken. */
SD_MARKER_FUNCTION struct sd_marker_row *sd_marker_find(const char *name, uint32_t process)
{
	uint32_t at = process * 2654435761u;
	const size_t n = strnlen(name, SD_MARKER_NAME - 1);

	for (size_t i = 0; i < n; i++)
		at = (at ^ (unsigned char)name[i]) * 16777619u;
	for (unsigned i = 0; i < SD_MARKER_ROWS; i++) {
		struct sd_marker_row *const row =
			&sd_marker_state.file->row[((at >> 12) + i) % SD_MARKER_ROWS];
		uint32_t state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);

		if (state == SD_MARKER_FREE &&
			__atomic_compare_exchange_n(&row->state, &state, (uint32_t)SD_MARKER_TAKEN,
				0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			const char *const judged = sd_marker_state.judged;
			const uint32_t mark = judged && *judged == '*' ? 2 : 1;

			memcpy(row->name, name, n);
			row->process = process;
			if (judged && process &&
				!strncmp(judged + mark - 1, name, SD_MARKER_NAME - 1))
				row->marked = mark;
			__atomic_store_n(&row->state, (uint32_t)SD_MARKER_READY, __ATOMIC_RELEASE);
			return row;
		}
		/* another thread writes the name; one that died there has a row less */
		for (int k = 0; k < 1000000 && state == SD_MARKER_TAKEN; k++)
			state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);
		if (state == SD_MARKER_READY && row->process == process &&
			strncmp(row->name, name, SD_MARKER_NAME - 1) == 0)
			return row;
	}
	return NULL;
}

SD_MARKER_FUNCTION int sd_marker_is_on(void)
{
	const struct timespec moment = {0, 50000};
	int mode = __atomic_load_n(&sd_marker_state.mode, __ATOMIC_ACQUIRE);

	if (mode == SD_MARKER_UNKNOWN &&
		__atomic_compare_exchange_n(&sd_marker_state.mode, &mode, SD_MARKER_OPENING, 0,
			__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		mode = sd_marker_open() ? SD_MARKER_ON : SD_MARKER_OFF;
		__atomic_store_n(&sd_marker_state.mode, mode, __ATOMIC_RELEASE);
	}
	/* another thread opens it; in a child that was forked meanwhile, none does */
	for (int k = 0; k < 20000 && mode == SD_MARKER_OPENING; k++) {
		nanosleep(&moment, NULL);
		mode = __atomic_load_n(&sd_marker_state.mode, __ATOMIC_ACQUIRE);
	}
	if (mode == SD_MARKER_OPENING)
		__atomic_store_n(&sd_marker_state.mode, SD_MARKER_OFF, __ATOMIC_RELEASE);
	return mode == SD_MARKER_ON;
}

/* Before main(): a program may forbid itself system calls, with a seccomp filter that kills at
 * others. From here on markers call clock_gettime() alone, getpid() in a child of fork(), and
 * gettid() at the end of an entry that is noted. */
__attribute__((constructor)) static void sd_marker_begin(void)
{
	const char *const path = getenv("SCALEDIAG_MARKERS");

	if (path && *path)
		(void)sd_marker_is_on();
}

/* Slot of the calling thread. */
SD_MARKER_FUNCTION unsigned sd_marker_slot(void)
{
	if (!sd_marker_thread.number)
		sd_marker_thread.number = 1 + sd_marker_more(&sd_marker_state.threads, 1);
	return sd_marker_thread.number % SD_MARKER_SLOTS;
}

__attribute__((unused, noinline)) static void sd_marker_add(
	struct sd_marker_row **place, const char *name, uint64_t n)
{
	struct sd_marker_row *row = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (!row) {
		row = sd_marker_is_on() ? sd_marker_find(name, 0) : NULL;
		if (!row)
			return;
		__atomic_store_n(place, row, __ATOMIC_RELEASE);
	}
	sd_marker_more(&row->slot[sd_marker_slot()].count, n);
}

/* A reading of a process's CPU time takes longer than all else together: it is read this seldom. */
#define SD_REGION_TIMED_EVERY 130000u

SD_MARKER_FUNCTION uint64_t sd_region_clock(clockid_t which)
{
	struct timespec t = {0, 0};

	clock_gettime(which, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* This process. A child of fork() is another, and in none of its parent's regions. */
SD_MARKER_FUNCTION uint32_t sd_region_process(void)
{
	volatile uint32_t *const process = sd_marker_state.process;

	if (!process)
		return (uint32_t)getpid();
	if (!*process) {
		*process = (uint32_t)getpid();
		sd_marker_thread.depth = sd_marker_thread.beyond = 0;
	}
	return *process;
}

SD_MARKER_FUNCTION void sd_region_note(uint32_t who, uint64_t time, int step)
{
	struct sd_marker_file *const f = sd_marker_state.file;
	uint32_t at = sd_marker_read(&f->marks);

	if (at <= SD_MARKER_MARKS) /* never so many that the number comes round */
		at = sd_marker_more(&f->marks, 1);
	if (at >= SD_MARKER_MARKS)
		return;
	f->mark[at].process = who;
	f->mark[at].step = step;
	__atomic_store_n(&f->mark[at].time, time, __ATOMIC_RELEASE);
}

/* One thread more in it. The first notes when, and mostly the CPU time of the process. */
SD_MARKER_FUNCTION void sd_region_count_in(struct sd_marker_row *row, uint64_t now)
{
	uint64_t inside = sd_marker_read(&row->inside), more;
	uint32_t most = sd_marker_read(&row->most);

	do {
		more = inside + 1;
		if (!inside && now - sd_marker_read(&row->timed_at) > SD_REGION_TIMED_EVERY)
			more |= SD_MARKER_TIMED;
	} while (!__atomic_compare_exchange_n(
		&row->inside, &inside, more, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	while (most < (uint32_t)more &&
		!__atomic_compare_exchange_n(
			&row->most, &most, (uint32_t)more, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (inside)
		return;
	sd_marker_more(&row->wall, -now);
	if (row->marked == 1)
		sd_region_note(row->process, now, 1);
	if (more & SD_MARKER_TIMED) {
		__atomic_store_n(&row->timed_at, now, __ATOMIC_RELAXED);
		sd_marker_more(&row->timed, -now);
		sd_marker_more(&row->cpu, -sd_region_clock(CLOCK_PROCESS_CPUTIME_ID));
	}
}

SD_MARKER_FUNCTION void sd_region_count_out(struct sd_marker_row *row, uint64_t now)
{
	uint64_t inside = sd_marker_read(&row->inside), less;

	do
		less = (uint32_t)inside > 1 ? inside - 1 : 0;
	while (!__atomic_compare_exchange_n(
		&row->inside, &inside, less, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	if (less)
		return;
	sd_marker_more(&row->wall, now);
	if (row->marked == 1)
		sd_region_note(row->process, now, -1);
	if (inside & SD_MARKER_TIMED) {
		sd_marker_more(&row->timed, now);
		sd_marker_more(&row->cpu, sd_region_clock(CLOCK_PROCESS_CPUTIME_ID));
	}
}

__attribute__((unused, noinline)) static void sd_region_enter(const char *name)
{
	struct sd_marker_thread *const t = &sd_marker_thread;
	struct sd_marker_row *row;
	uint64_t now;

	if (!sd_marker_is_on())
		return;
	row = sd_marker_find(name, sd_region_process());
	if (!row || t->depth >= SD_MARKER_DEPTH)
		sd_marker_more(
			row ? &sd_marker_state.file->too_deep : &sd_marker_state.file->no_row, 1);
	if (t->depth >= SD_MARKER_DEPTH) {
		t->beyond++;
		return;
	}
	now = sd_region_clock(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < t->depth; i++)
		if (t->open[i].row == row)
			now = 0;
	t->open[t->depth].row = row;
	t->open[t->depth++].since = now;
	if (!row)
		return;
	sd_marker_more(&row->slot[sd_marker_slot()].count, 1);
	if (now)
		sd_region_count_in(row, now);
}

/* Leaves the innermost one. */
SD_MARKER_FUNCTION void sd_region_pop(struct sd_marker_thread *t, uint64_t now)
{
	struct sd_marker_file *const file = sd_marker_state.file;
	struct sd_marker_row *const row = t->open[--t->depth].row;
	const uint64_t since = t->open[t->depth].since, ns = now - since;
	const uint64_t ticks = ns / SD_MARKER_TICK + 2;

	if (!row || !since)
		return;
	if (row->marked == 2)
		sd_region_note((uint32_t)syscall(SYS_gettid), since,
			ticks < INT32_MAX ? (int)ticks : INT32_MAX);
	sd_marker_more(&row->slot[sd_marker_slot()].ns, ns);
	sd_marker_more(&file->lasted[row - file->row][sd_marker_slot()][sd_region_last(ns)], 1);
	sd_region_count_out(row, now);
}

__attribute__((unused, noinline)) static void sd_region_leave(const char *name)
{
	struct sd_marker_thread *const t = &sd_marker_thread;
	struct sd_marker_row *row;
	uint64_t now;
	unsigned at;

	if (!sd_marker_is_on())
		return;
	now = sd_region_clock(CLOCK_MONOTONIC);
	row = sd_marker_find(name, sd_region_process());
	if (t->beyond) {
		t->beyond--;
		return;
	}
	for (at = t->depth; at && t->open[at - 1].row != row; at--)
		;
	if (!at) {
		if (row)
			sd_marker_more(&row->unmatched, 1);
		return;
	}
	while (t->depth > at) { /* those inside have not been ended */
		if (t->open[t->depth - 1].row)
			sd_marker_more(&t->open[t->depth - 1].row->unmatched, 1);
		sd_region_pop(t, now);
	}
	sd_region_pop(t, now);
}

#endif
#endif
