/*
 * --cores: which core counts to run at.
 */
#ifndef SD_CORE_LIST_H
#define SD_CORE_LIST_H

#include "record/options.h"
#include "base/sink.h"

/*
 * Parses "1,2,4,8", "1-8" (both may be mixed), "powers" or "all" into options->cores and the rising
 * options->count. 0; -EINVAL with one message that says which entry is wrong and why; -ENOMEM. The
 * options are as before on failure.
 */
int sd_core_list_parse(const char *text, struct sd_options *options, const struct sd_sink *sink);

#endif
