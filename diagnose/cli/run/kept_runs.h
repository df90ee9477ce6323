/*
 * A record whose samples are attributed anew, from the raw ones that were kept beside it.
 */
#ifndef SD_KEPT_RUNS_H
#define SD_KEPT_RUNS_H

#include "base/sink.h"
#include "record/record.h"

/*
 * Every run of *r that has samples gets what the file that --keep-samples wrote for it in `folder`
 * comes to by the rules of this program. A run without such a file would be by other rules than the
 * rest: then nothing is reported. 0; -errno, said.
 */
int sd_kept_runs_attribute(struct sd_record *r, const char *folder, const struct sd_sink *sink);

#endif
