/*
 * The processes below a process, as /proc has them at this moment: for signalling a whole tree. No
 * allocation: may be used between fork and exec.
 */
#ifndef SD_DESCENDANTS_H
#define SD_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The children of process `pid` (of all its threads), at most `room` of them. Children that come or
 * go meanwhile may be missing: callers repeat until nothing is left. Returns how many; 0 also when
 * there is no such process.
 */
size_t sd_descendants_children(pid_t pid, pid_t *child, size_t room);

/*
 * Sends `signal` to every descendant of `root`, parents before their children, except those whose
 * session is `spare` (0 = none). A descendant is pinned by a pidfd and its parent looked at before
 * it is signalled, so that a recycled number never hits a stranger. Returns how many were
 * signalled; *denied (may be NULL) is set to one that refused, and left alone when there is none.
 */
size_t sd_descendants_signal(pid_t root, int signal, pid_t spare, pid_t *denied);

/* No kernel gives larger numbers to processes (PID_MAX_LIMIT). */
#define SD_DESCENDANTS_PID_MOST (4 * 1024 * 1024)

/*
 * Without a /proc: sends `signal` to every child of the calling process, found by asking wait about
 * each number from 1 to `most` (all there can be: about a second). Grandchildren become children
 * when their parents are gone, below a subreaper. Returns how many were signalled.
 */
size_t sd_descendants_signal_unlisted(int signal, pid_t most);

#endif
