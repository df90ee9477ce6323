/*
 * Whether the runs count hardware events, which, and in how many passes.
 */
#ifndef SD_COUNTER_CHOICE_H
#define SD_COUNTER_CHOICE_H

#include "probe/counter_plan.h"
#include "probe/access_source.h"
#include "record/options.h"
#include "record/plan.h"
#include "base/sink.h"

/*
 * Opens what --events and --multiplex ask for and writes its passes into the plan, whose repeats
 * are raised (said when they were given) so that every point gets every pass. *counting is NULL
 * when nothing is counted: with --events os, or with auto where there is no hardware counter.
 * 0; -ENODEV, -EACCES or -EBUSY: --events hw, but there is none for us, said; other -errno said.
 */
int sd_counter_choice_plan(struct sd_counting **counting, const struct sd_options *options,
	struct sd_plan *plan, const struct sd_sink *sink);

/* The same for a plan that is gone on with: its passes must be those of today. 0; -EINVAL said. */
int sd_counter_choice_resume(
	struct sd_counting **counting, const struct sd_plan *plan, const struct sd_sink *sink);

/* What samples loads and stores in a run of its own, unless --events os or --samples none; NULL
 * where nothing does (scalediag doctor says why). */
struct sd_memsource *sd_counter_choice_memory(const struct sd_options *options, int os_only);

#endif
