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
#include "native/watched_line.h"
#include "proc/proc_parse.h"

/* A zeroed one has nothing to watch. */
struct sd_line_watch {
	const struct sd_line_places *places; /* borrowed; NULL: none */
	double hit_s; /* that a hit takes here; 0 not measured yet; INFINITY: hits do not count */
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
	/* The time of all CPUs when the first window began, and at the end; `read`: how many of
	 * both are known. */
	struct sd_proc_cpu cpus[2];
	int read;
};

/* Opens a window, or closes the one that is open; `now` by the monotonic clock. Returns ns until it
 * is to be called again, UINT64_MAX: there is nothing to do. */
uint64_t sd_line_watch_tick(
	struct sd_line_watch *w, const struct sd_data_maps *m, const char *root, uint64_t now);

/* Takes the counts of a window that is open, closes it, and reads how much of the CPUs' time a
 * hypervisor took. */
void sd_line_watch_end(struct sd_line_watch *w);

/* Fills in what was proved of the line at an address of a process: proven, watched... of *out. */
void sd_line_watch_tell(
	const struct sd_line_watch *w, int pid, uint64_t address, struct sd_native_line *out);

#endif
