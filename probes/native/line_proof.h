/*
 * Bounds by the hits of watchpoints: who touches a line's words, and how often they are written.
 */
#ifndef SD_LINE_PROOF_H
#define SD_LINE_PROOF_H

#include "native/watched_line.h"
#include "record/native_lines.h"

/* Do hits, of hit_s seconds each, take most of the time of one of its threads? How often it would
 * write is not known then. */
int sd_line_proof_is_hit_always(const struct sd_watched_line *l, double hit_s);

/* Sets proven, watched... of *out by what was counted. `stolen`: share of the CPUs' time that a
 * hypervisor took meanwhile; absent: not known. */
void sd_line_proof_tell(const struct sd_watched_line *l, double hit_s, struct sd_value stolen,
	struct sd_native_line *out);

#endif
