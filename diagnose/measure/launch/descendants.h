/*
 * The current descendants of a process by /proc, to signal a whole tree. Allocates nothing, so it
 * can be used between fork and exec.
 */
#ifndef SD_DESCENDANTS_H
#define SD_DESCENDANTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Up to `room` children of process `pid` (of all its threads). Children that come or go meanwhile
 * may be missing, so callers repeat until none is left. Returns how many; 0 also if there is no
 * such process.
 */
size_t sd_descendants_children(pid_t pid, pid_t *child, size_t room);

/*
 * Sends `signal` to every descendant of `root`, parents before their children, except those whose
 * session is `spare` (0 = none). A descendant is pinned by a pidfd and its parent checked before it
 * is signalled, so that a reused pid never hits an unrelated process. Returns how many were
 * signalled; *denied (may be NULL) is set to one that could not be signalled, else unchanged.
 */
size_t sd_descendants_signal(pid_t root, int signal, pid_t spare, pid_t *denied);

/*
 * Calls `each` with every number above 0 that names an entry of a folder of /proc (processes,
 * threads, descriptors, of which one is its own) until it returns something else than 0, which is
 * returned; -1 when there is no such folder.
 */
int sd_descendants_each_number(const char *path, int (*each)(void *ctx, pid_t number), void *ctx);

/* CPU time of the current descendants, ns; of those that have ended nothing. */
uint64_t sd_descendants_cpu_ns(pid_t root);

/* The largest pid of any kernel (PID_MAX_LIMIT). */
#define SD_DESCENDANTS_PID_MOST (4 * 1024 * 1024)

/*
 * For systems without /proc: sends `signal` to every child of the calling process, found by waiting
 * for each pid from 1 to `most` (all possible ones take about a second). Below a subreaper,
 * grandchildren become children when their parents die. Returns how many were signalled.
 */
size_t sd_descendants_signal_unlisted(int signal, pid_t most);

#endif
