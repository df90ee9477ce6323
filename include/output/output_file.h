/*
 * The one rule for every file the program writes:
 *
 * - a file is replaced only when it is known to be one of ours, of the same kind (output_kind.h);
 * - nothing is ever written through a symbolic link, into a folder's name or over a device;
 * - a file is written under another name and renamed: at any moment either the old or the new one
 *   exists;
 * - a replaced file's mode is kept, and its owner where we may set it.
 *
 * Kinds that may be streams also go to "-" and /dev/stdout (standard output), /dev/fd/N, FIFOs,
 * terminals and /dev/null, which are written to as they are.
 *
 * output_check.h checks all outputs before a command starts; everything but the clash with inputs
 * is checked again when a file is written.
 */
#ifndef SD_OUTPUT_FILE_H
#define SD_OUTPUT_FILE_H

#include <stdio.h>

#include "output/output_kind.h"
#include "base/sink.h"

/* The thing at a path where a file of some kind is to be written. */
enum sd_output_there {
	SD_OUTPUT_NOTHING,
	SD_OUTPUT_OURS,
	SD_OUTPUT_STREAM, /* and the kind may go to a stream */
	SD_OUTPUT_FOREIGN,
	SD_OUTPUT_LINK,
	SD_OUTPUT_FOLDER,
	SD_OUTPUT_SPECIAL, /* a device, a pipe, a socket */
	SD_OUTPUT_UNKNOWN, /* errno says why */
};

/* Opens only regular files, for reading. *st is filled for SD_OUTPUT_OURS. */
enum sd_output_there sd_output_file_look(
	const char *path, enum sd_output_kind kind, struct stat *st);

/* Says why nothing is written there and what to do. Returns -EEXIST, -ELOOP, -EISDIR, or for
 * SD_OUTPUT_UNKNOWN the errno it left. 0, silently, where the file may be written. */
int sd_output_file_refuse(const char *path, enum sd_output_kind kind, enum sd_output_there there,
	const struct sd_sink *sink);

/* Is this error a refusal because of what is at the path? Then the name was badly chosen, and the
 * disk is fine. */
int sd_output_file_refused(int rc);

/* Writes `data`; 0, -ENOMEM, -EINVAL, or -EIO when `f` took an error (errno says which). */
typedef int (*sd_output_file_fn)(FILE *f, const void *data);

/*
 * Writes the file by the rule above. 0, or -errno with one message said ("PATH: cannot write the
 * WHAT: …"), the old file untouched and no temporary left behind. SIGINT, SIGTERM and SIGHUP are
 * blocked meanwhile, except when writing to a stream.
 */
int sd_output_file_write(const char *path, enum sd_output_kind kind, sd_output_file_fn put,
	const void *data, const struct sd_sink *sink);

/* Likewise; *kept, if it is not NULL, is the written file, to go on with, or unchanged: a stream,
 * or no descriptor was left. */
int sd_output_file_write_open(const char *path, enum sd_output_kind kind, sd_output_file_fn put,
	const void *data, int *kept, const struct sd_sink *sink);

/*
 * Could sd_output_file_write() write there? Creates a file in that folder, checks for `room` free
 * bytes where the file system can tell, and removes it. 0, or -errno with one message said.
 */
int sd_output_file_check(
	const char *path, enum sd_output_kind kind, long room, const struct sd_sink *sink);

/*
 * Replaces the file by a new, empty one for a program's output, opened for appending and reading. A
 * process left over from an earlier run keeps writing to the old file and not into this run's.
 * Returns the descriptor, or -ELOOP, -EISDIR, -EEXIST or another -errno, without a message.
 */
int sd_output_file_create(const char *path);

/* Creates missing parent folders, accessible to their owner only. Errors surface when the file is
 * written. Call it only just before writing, so that no empty folder is left in somebody's HOME. */
void sd_output_file_folders(const char *path);

#endif
