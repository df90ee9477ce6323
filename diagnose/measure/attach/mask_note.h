/*
 * Note of a program's CPUs as they were, written before they are changed, where it survives SIGKILL
 * of whoever changed them: the next start of any command finds it (base/leftover_note.h), and the
 * guard reads it.
 *
 * Each change adds a section of lines: whose it is, then a line a thread, then "end". The last
 * whole one counts: one that was not ended was not acted on.
 */
#ifndef SD_MASK_NOTE_H
#define SD_MASK_NOTE_H

#include "attach/attached.h"
#include "attach/thread_masks.h"
#include "base/leftover_note.h"

struct sd_mask_note {
	struct sd_leftover_note note;
	int fd; /* of the note; where none can be made, of memory that the guard has as well; -1 */
};

int sd_mask_note_open(struct sd_mask_note *n); /* 0 or -errno */

/* Adds what *m has. 0 or -errno. */
int sd_mask_note_add(
	const struct sd_mask_note *n, const struct sd_thread_masks *m, const struct sd_attached *a);

/*
 * Gives the threads that the note is of what they had, but those that chose anew, and those that
 * come up meanwhile. Returns how many could not be; *changed: how many were. 0 for what is no whole
 * note, for one of another boot, or of processes that have ended. `label`, of `size` bytes: what
 * the program is called.
 */
size_t sd_mask_note_mend(int fd, size_t *changed, char *label, size_t size);

/* Ends with it. `done`: all is as it was; else the note stays for the next start. */
void sd_mask_note_close(struct sd_mask_note *n, int done);

#endif
