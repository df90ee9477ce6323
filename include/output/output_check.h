/*
 * Checks, before a command starts, that it may write all its output files.
 */
#ifndef SD_OUTPUT_CHECK_H
#define SD_OUTPUT_CHECK_H

#include <stddef.h>

#include "output/output_kind.h"
#include "base/sink.h"

/* A file to write; path NULL: none. */
struct sd_output_wish {
	const char *path;
	enum sd_output_kind kind;
	long room; /* bytes that must be free; 0: not checked */
};

/* A file that the command reads, under any name; `what` completes "PATH: is …". NULL: none. */
struct sd_output_input {
	const char *path, *what;
};

/*
 * 0: all may be written (output_file.h), none is an input or our own standard output or error, and
 * no two are the same file. Else -errno with one message said and nothing changed;
 * sd_output_file_refused() distinguishes a badly chosen name from a place that takes no file.
 */
int sd_output_check(const struct sd_output_wish *wish, size_t n_wish,
	const struct sd_output_input *input, size_t n_input, const struct sd_sink *sink);

#endif
