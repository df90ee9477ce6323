/*
 * The program's output goes to files while it runs, so that no reader's speed is measured, and is
 * read back afterwards.
 */
#ifndef SD_PROGRAM_OUTPUT_H
#define SD_PROGRAM_OUTPUT_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Opens a new, empty file `path` (sd_output_file_create()) for appending, so that processes that
 * reopen their output do not overwrite it; NULL: /dev/null. Returns a descriptor above 2, or
 * -errno: -ELOOP: a symbolic link; -EISDIR, -EEXIST: something else that is not ours and is not
 * touched.
 */
int sd_program_output_create(const char *path);

/* The program's input: a file that is ours (scalediag ./app < FILE), from where we have it on;
 * anything else can be read by one run alone: /dev/null. Returns a descriptor above 2, or -errno.
 */
int sd_program_output_input(void);

/* Our own three, for the program: copies above 2; of one that we have not, /dev/null. 0 or -errno.
 */
int sd_program_output_hand_on(int *in, int *out, int *err);

/* Copies what was appended to a file since the last call. */
struct sd_program_output_tail {
	int from; /* the file */
	int to;   /* our stdout or stderr; < 0 = do not copy, or no longer possible */
	off_t at;
};

/*
 * Copies new output; unless `all`, only what `to` accepts without blocking, at most 64 KiB. After
 * an error on `to` (the reader went away) it copies no more.
 */
void sd_program_output_copy(struct sd_program_output_tail *t, int all);

/*
 * FNV-1a (64 bit) of a file and its size, read from its beginning. 0 or -errno; -EINTR: *stop
 * became non-zero.
 */
int sd_program_output_digest(
	int fd, const volatile sig_atomic_t *stop, uint64_t *digest, uint64_t *bytes);

/* Describes where a program's words are, for a message: the files that are not empty, and the last
 * line of the errors. */
void sd_program_output_describe(const char *out, const char *err, char *text, size_t size);

#endif
