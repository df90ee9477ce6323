/*
 * Notes of files, folders and cgroups that are there only for a moment, so that the next start of
 * any command removes what a scalediag left that was killed outright.
 *
 * A note is a file in /tmp/scalediag-UID, a folder for this user alone, which is there as long as
 * it holds notes. Its maker, and whom that has forked, hold a lock on it: a note that can be locked
 * is of nobody alive, in whatever PID namespace that was.
 */
#ifndef SD_LEFTOVER_NOTE_H
#define SD_LEFTOVER_NOTE_H

#include <stddef.h>

/* Kinds of things at the path that is noted. */
enum sd_leftover {
	SD_LEFTOVER_ASIDE,     /* a file that is to be renamed */
	SD_LEFTOVER_FOLDER,    /* a folder of ours with all that is in it */
	SD_LEFTOVER_COPY,      /* PATH.d, a working folder, and PATH.out and .err of a copy */
	SD_LEFTOVER_SIMULATED, /* PATH.*.sim and .total */
	SD_LEFTOVER_CGROUP,
	SD_LEFTOVER_LOCK, /* of a record */
	SD_LEFTOVER_CPUS, /* the note itself: behind its first line, what a program's CPUs were */
	SD_LEFTOVER_KINDS
};

/* The zeroed value is of nothing. */
struct sd_leftover_note {
	char *path; /* owned; NULL: there is none */
	int fd;
};

/*
 * Notes what is about to be made at `path`; its folder must be there. Without a path the note is of
 * itself: n->fd can be read, and what is written there stands behind its first line. Where no note
 * can be made (nothing can be written in /tmp, or another user has taken the name) *n is the zeroed
 * value, and what is left behind then stays.
 */
void sd_leftover_note_open(struct sd_leftover_note *n, enum sd_leftover kind, const char *path);

/* Ends with it, and leaves the note for the next start: what it is of could not be removed. */
void sd_leftover_note_keep(struct sd_leftover_note *n);

/* It is gone again, or there to stay. Leaves the zeroed value, which it accepts. */
void sd_leftover_note_close(struct sd_leftover_note *n);

/*
 * Removes what is left at `name` in the folder, which is open as `fd` and was reached without a
 * link, only when it is known to be ours. 0: nothing of ours is there now; else the note stays, for
 * the next start.
 */
typedef int sd_leftover_remove(int fd, const char *folder, const char *name);

/*
 * Has everything removed that is noted by processes that are no more, but what one that lives has
 * noted as well. Never waits. Quick where there is nothing. A kind with NULL stays.
 */
void sd_leftover_note_sweep(sd_leftover_remove *const remove[SD_LEFTOVER_KINDS]);

#endif
