/*
 * Before a command begins: may all the files be written that it is to write?
 */
#ifndef SD_OUTPUT_CHECK_H
#define SD_OUTPUT_CHECK_H

#include <stddef.h>

#include "output/output_kind.h"
#include "base/sink.h"

/* A file to be written; with path NULL none. */
struct sd_output_wish {
	const char *path;
	enum sd_output_kind kind;
	long room; /* bytes that must be free at least; 0: not looked at */
};

/* A file that the command reads, by whatever name; `what` ends "PATH: is …". NULL: none. */
struct sd_output_input {
	const char *path, *what;
};

/*
 * 0: all of them may be written (output_file.h), none is an input or where our own standard output
 * or error goes, and no two are the same file. Else -errno, one message said and nothing changed:
 * sd_output_file_refused() tells a name to be given otherwise from a place that takes no file.
 */
int sd_output_check(const struct sd_output_wish *wish, size_t n_wish,
	const struct sd_output_input *input, size_t n_input, const struct sd_sink *sink);

#endif
