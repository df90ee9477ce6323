/*
 * What the program printed: into files while it runs, so that nobody's reading speed is measured,
 * and read back afterwards.
 */
#ifndef SD_PROGRAM_OUTPUT_H
#define SD_PROGRAM_OUTPUT_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A descriptor above 2 of the file `path`, a new and empty one (sd_output_file_create()), appended
 * to (so that processes of the program that open their output again do not overwrite it); of
 * /dev/null when `path` is NULL. -errno: -ELOOP it is a symbolic link, -EISDIR or -EEXIST it is
 * something else that is not ours: nothing is written there.
 */
int sd_program_output_create(const char *path);

/* Copies what a growing file got since the last call. */
struct sd_program_output_tail {
	int from; /* the file */
	int to;   /* our stdout or stderr; < 0 = nothing is copied, or no more can be */
	off_t at;
};

/*
 * Copies what is new; unless `all`, no more than `to` takes without blocking, and at most 64 KiB. A
 * `to` that fails (a reader that went away) is not tried again.
 */
void sd_program_output_copy(struct sd_program_output_tail *t, int all);

/*
 * FNV-1a (64 bit) of a file and its size, read from its beginning. 0 or -errno; -EINTR when *stop
 * became non-zero.
 */
int sd_program_output_digest(
	int fd, const volatile sig_atomic_t *stop, uint64_t *digest, uint64_t *bytes);

/* The last line of a file that is not empty, as text for a message, at most size - 1 bytes; "" when
 * there is none. */
void sd_program_output_last_line(const char *path, char *line, size_t size);

#endif
