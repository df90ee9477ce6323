/*
 * A capture in a file (--keep-samples), to be replayed without the program.
 *
 * Numbers are of the host's byte order. "SDTRAIL1"; struct sd_trace_facts as 13 numbers of 64
 * bits (floating point as such), in its order, after the ELF number of the machine; then blocks up
 * to the end: 32 bits CPU, 32 bits size, 64 bits time of the first event, and the bytes of
 * trace_codec.h.
 */
#ifndef SD_TRACE_FILE_H
#define SD_TRACE_FILE_H

#include "trace/trace.h"

/* For sd_trace_replay, _facts and _close. 0; -errno; -EINVAL: not such a file, or cut; -ENOEXEC:
 * of another kind of machine; -EFBIG: more than 4 GiB. */
int sd_capture_from_file(struct sd_capture **out, const char *path);

#endif
