/*
 * A record whose samples are attributed anew, from the raw ones that were kept beside it.
 */
#ifndef SD_KEPT_RUNS_H
#define SD_KEPT_RUNS_H

#include "analysis/thread_lanes.h"
#include "base/sink.h"
#include "record/record.h"

/*
 * Every run of *r that has samples gets what the file that --keep-samples wrote for it in `folder`
 * comes to by the rules of this program. A run without such a file would be by other rules than the
 * rest: then nothing is reported. 0; -errno, said.
 */
int sd_kept_runs_attribute(struct sd_record *r, const char *folder, const struct sd_sink *sink);

/*
 * What each thread did, from the same files: of the typical run of each core count, or of that of
 * `cores` alone. 0; -errno, said. *out is to be freed in every case.
 */
int sd_kept_runs_lanes(struct sd_record *r, const char *folder, unsigned cores,
	struct sd_thread_lanes *out, const struct sd_sink *sink);

#endif
