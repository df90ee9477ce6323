/*
 * --cores: which core counts to run at.
 */
#ifndef SD_CORE_LIST_H
#define SD_CORE_LIST_H

#include "record/options.h"
#include "base/sink.h"

/*
 * `option` is its name, for messages. Parses "1,2,4,8", "1-8" (or a mixture), "powers" or "all"
 * into options->cores and the ascending options->count. 0; -EINVAL after a message that says which
 * entry is wrong and why; -ENOMEM. The options are unchanged on failure.
 */
int sd_core_list_parse(const char *text, struct sd_options *options, const char *option,
	const struct sd_sink *sink);

#endif
