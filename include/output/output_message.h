/*
 * The message when a file cannot be written, with what the user can do about it.
 */
#ifndef SD_OUTPUT_MESSAGE_H
#define SD_OUTPUT_MESSAGE_H

#include "output/output_kind.h"
#include "base/sink.h"

/* "PATH: cannot write the WHAT: WHY; what to do". Returns rc, a -errno. */
int sd_output_message_failed(
	const char *path, enum sd_output_kind kind, int rc, const struct sd_sink *sink);

#endif
