/*
 * Re-attributes the samples of a record, from the raw samples kept beside it.
 */
#ifndef SD_KEPT_RUNS_H
#define SD_KEPT_RUNS_H

#include "analysis/thread_lanes.h"
#include "base/sink.h"
#include "record/record.h"

/*
 * For every run of *r with samples: attributes the file that --keep-samples wrote for it in
 * `folder`, by this program's rules. If the file of any run is missing, that run would follow other
 * rules than the rest: then it fails, and nothing is reported. 0 or -errno, reported.
 */
int sd_kept_runs_attribute(struct sd_record *r, const char *folder, const struct sd_sink *sink);

/*
 * Makes lanes of what each thread did, from the same files: of the typical run of each core count,
 * or of that of `cores` alone. 0; -errno, said. *out is to be freed in every case.
 */
int sd_kept_runs_lanes(struct sd_record *r, const char *folder, unsigned cores,
	struct sd_thread_lanes *out, const struct sd_sink *sink);

#endif
