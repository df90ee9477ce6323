/*
 * The one rule for every file the program writes:
 *
 * - a file is replaced only when it is known to be one of ours, of the same kind (output_kind.h);
 * - nothing is ever written through a symbolic link, into a folder's name or over a device;
 * - it is written aside and renamed: at every moment there is the old file or the new one;
 * - the mode, and where we may set it the owner, of the file that is replaced is kept.
 *
 * Kinds that may be streams also go to "-" and /dev/stdout (standard output), /dev/fd/N, FIFOs,
 * terminals and /dev/null, which are written to as they are.
 *
 * What of a command may be written where is checked before it begins (output_check.h), and all but
 * the inputs again when it is written.
 */
#ifndef SD_OUTPUT_FILE_H
#define SD_OUTPUT_FILE_H

#include <stdio.h>

#include "output/output_kind.h"
#include "base/sink.h"

/* What is at a path, seen from somebody who wants to write a file of some kind there. */
enum sd_output_there {
	SD_OUTPUT_NOTHING,
	SD_OUTPUT_OURS,
	SD_OUTPUT_STREAM, /* and the kind may go there */
	SD_OUTPUT_FOREIGN,
	SD_OUTPUT_LINK,
	SD_OUTPUT_FOLDER,
	SD_OUTPUT_SPECIAL, /* a device, a pipe, a socket */
	SD_OUTPUT_UNKNOWN, /* errno says why */
};

/* Opens nothing but regular files, and writes none. *st is filled when it is SD_OUTPUT_OURS. */
enum sd_output_there sd_output_file_look(
	const char *path, enum sd_output_kind kind, struct stat *st);

/* Says why nothing is written there and what to do; -errno: -EEXIST, -ELOOP, -EISDIR, or of
 * SD_OUTPUT_UNKNOWN errno as it was. 0 and not a word where it may be written. */
int sd_output_file_refuse(const char *path, enum sd_output_kind kind, enum sd_output_there there,
	const struct sd_sink *sink);

/* Whether this error is a refusal of what is there: for the one who named the file, no fault of
 * the disk. */
int sd_output_file_refused(int rc);

/* Writes `data`; 0, -ENOMEM, -EINVAL, or -EIO when `f` took an error (errno says which). */
typedef int (*sd_output_file_fn)(FILE *f, const void *data);

/*
 * Writes the file by the rule. 0 or -errno with one message said ("PATH: cannot write the WHAT:
 * …"), the old file as it was and nothing of ours left behind; SIGINT, SIGTERM and SIGHUP wait
 * meanwhile, but where it goes to a stream.
 */
int sd_output_file_write(const char *path, enum sd_output_kind kind, sd_output_file_fn put,
	const void *data, const struct sd_sink *sink);

/*
 * Could sd_output_file_write() begin to write there? Makes a file in that folder, with room for
 * `room` bytes where the file system can tell, and removes it. 0 or -errno, said.
 */
int sd_output_file_check(
	const char *path, enum sd_output_kind kind, long room, const struct sd_sink *sink);

/*
 * A new, empty file of that name for what a program prints, appended to, open for reading too, in
 * the place of an older one: a process of an earlier run that still has that open writes there, and
 * not into this run's. The descriptor, or -ELOOP, -EISDIR, -EEXIST or -errno, not said.
 */
int sd_output_file_create(const char *path);

/* Creates the folders above the path that are missing, for their owner alone; what goes wrong shows
 * when the file is written. Only for what is to be written now: an empty folder in another user's
 * HOME is a leftover. */
void sd_output_file_folders(const char *path);

/* Removes what writers of this very file that were killed have left beside it. Only for one that
 * knows that no other is writing. */
void sd_output_file_sweep(const char *path);

#endif
