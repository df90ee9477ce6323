/*
 * The record that a measurement replaces: of the same program on the same machine it tells how long
 * runs take before there is one, which counters to begin with, and what became faster. It decides
 * nothing.
 */
#ifndef SD_EARLIER_RECORD_H
#define SD_EARLIER_RECORD_H

#include "base/sink.h"
#include "record/record.h"

struct sd_earlier_record {
	struct sd_record record;   /* empty: there is none, or of something else */
	double *usual;             /* owned; s of a run, by the new plan's points; NAN unknown */
	struct sd_pass_list first; /* passes of counters that it chose for causes that were open */
};

/*
 * Reads the record at `path`; what is wrong with it is no matter here. It is kept if it has the
 * command line, folder, scaling and machine of `now`, whose plan is made. 0 or -ENOMEM.
 */
int sd_earlier_record_take(
	struct sd_earlier_record *out, const char *path, const struct sd_record *now);

/*
 * Says of the largest count that both have how much faster or slower it is, by the medians of its
 * runs, where the 95 % interval of their ratio does not hold 1; where either has fewer than five
 * runs, all of one must be faster than all of the other. Nothing with fewer than three.
 */
void sd_earlier_record_say(
	const struct sd_earlier_record *e, const struct sd_record *now, const struct sd_sink *sink);

void sd_earlier_record_free(struct sd_earlier_record *e); /* accepts the zeroed value */

#endif
