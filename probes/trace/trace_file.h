/*
 * A capture in a file (--keep-samples), to be replayed without the program.
 *
 * Numbers are in host byte order. SD_KEPT_MAGIC; struct sd_kept_facts, the ELF machine number and
 * the capture's facts in 64 bits each; then blocks to the end of the file: struct sd_kept_block,
 * that is 32 bits CPU, 32 bits size, 64 bits time of the first event, followed by the bytes of
 * trace_codec.h (trace_file_layout.h).
 */
#ifndef SD_TRACE_FILE_H
#define SD_TRACE_FILE_H

#include "trace/trace.h"

/* For use with sd_trace_replay, _facts and _close. 0; -errno; -EINVAL: not such a file, or
 * truncated; -ENOEXEC: another architecture; -EFBIG: more than 4 GiB. */
int sd_capture_from_file(struct sd_capture **out, const char *path);

#endif
