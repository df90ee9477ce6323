/*
 * Proves who touches a cache line: hardware watchpoints (PERF_TYPE_BREAKPOINT) on its words in the
 * threads of its process, in windows of a millisecond, ten a second at most. A hit stops its thread
 * for some microseconds, more in a virtual machine; a line that is hit all the time is watched in
 * twelve windows, then left alone. A window in which a thread wanted a CPU and had none does not
 * count for it. Whatever is open is closed with its descriptors.
 */
#ifndef SD_LINE_WATCH_H
#define SD_LINE_WATCH_H

#include "native/line_places.h"

#define SD_LINE_WATCH_THREADS 32u /* of a process; one of more is not watched */
#define SD_LINE_WATCH_WORDS 8u    /* of 8 bytes, in a line */
#define SD_LINE_WATCH_REGISTERS                                                               \
	4u                     /* words watched at once: debug registers of x86 CPUs, and the \
				  least of aarch64's */
#define SD_LINE_WATCH_KINDS 4u /* windows: written words 0-3, 4-7; touched words 0-3, 4-7 */

struct sd_watched_line {
	int pid;
	uint64_t address;
	enum sd_status status; /* ok: it was watched; else why not */
	int tid[SD_LINE_WATCH_THREADS];
	unsigned n_thread;
	double seconds[SD_LINE_WATCH_KINDS];
	/* Each thread's: s of windows in which it had a CPU or wanted none, and s with one. */
	double seen[SD_LINE_WATCH_KINDS][SD_LINE_WATCH_THREADS];
	double ran[SD_LINE_WATCH_KINDS][SD_LINE_WATCH_THREADS];
	/* [written, else touched][word][thread] */
	uint64_t hits[2][SD_LINE_WATCH_WORDS][SD_LINE_WATCH_THREADS];
	unsigned windows; /* so far */
};

/* A zeroed one has nothing to watch. */
struct sd_line_watch {
	const struct sd_line_places *places; /* borrowed; NULL: none */
	double hit_s;                        /* that a hit takes here; 0 not measured yet */
	struct sd_watched_line line[SD_LINE_PLACES];
	unsigned turn; /* windows of all lines so far */
	struct {
		int fd[SD_LINE_WATCH_REGISTERS][SD_LINE_WATCH_THREADS];
		unsigned slot[SD_LINE_WATCH_THREADS]; /* threads of the line */
		unsigned n_thread, kind;
		const char *root;             /* prefix of /proc; borrowed */
		struct sd_watched_line *line; /* NULL: no window is open */
		uint64_t since;               /* ns */
	} open;
	uint64_t next; /* ns: the next window */
};

/* Opens a window, or closes the one that is open; `now` by the monotonic clock. Returns ns until it
 * is to be called again, UINT64_MAX: there is nothing to do. */
uint64_t sd_line_watch_tick(
	struct sd_line_watch *w, const struct sd_data_maps *m, const char *root, uint64_t now);

/* Takes the counts of a window that is open, and closes it. */
void sd_line_watch_end(struct sd_line_watch *w);

/* Fills in what was proved of the line at an address of a process: proven, watched... of *out. */
void sd_line_watch_tell(
	const struct sd_line_watch *w, int pid, uint64_t address, struct sd_native_line *out);

#endif
