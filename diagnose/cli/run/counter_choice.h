/*
 * Decides whether runs count hardware events, which, and in how many passes.
 */
#ifndef SD_COUNTER_CHOICE_H
#define SD_COUNTER_CHOICE_H

#include "probe/counter_plan.h"
#include "probe/access_source.h"
#include "record/options.h"
#include "record/record.h"
#include "base/sink.h"

/*
 * Opens what --events and --multiplex request and writes the passes into the plan, raising repeats
 * (with a message if they were given) so that every point gets every pass. *counting is NULL if
 * nothing is counted: with --events os, or auto without hardware counters. `model`: the PMU to
 * count with instead; NULL or empty: this machine's. 0; otherwise with a message: -ENODEV, -EACCES
 * or -EBUSY: --events hw without available counters; another -errno.
 */
int sd_counter_choice_plan(struct sd_counting **counting, const struct sd_options *options,
	const struct sd_modelled_pmu *model, struct sd_plan *plan, const struct sd_sink *sink);

/*
 * After the warm-up of a plan with several passes: where a run takes so long that all events can
 * take turns in it, each for SD_COUNTER_TURNS_S and more, and counting every pass twice would take
 * more runs than the count gets in any case, the plan's passes become one, said in a line. Not
 * where the passes were asked for, by --events all or --repeats. *counting is replaced then, and
 * the one before stored in *before, for the caller to free after it. 0 or -errno.
 */
int sd_counter_choice_turns(struct sd_counting **counting, struct sd_counting **before,
	const struct sd_options *options, struct sd_record *record, const struct sd_sink *sink);

/* Is a run of so many s of CPU time, which take so many on the clock, long enough for that? Pure.
 */
int sd_counter_choice_is_long(const struct sd_plan *plan, double cpu_s, double wall_s);

/* The same for a resumed plan, whose passes must match the current ones. 0; -EINVAL after a
 * message. */
int sd_counter_choice_resume(
	struct sd_counting **counting, const struct sd_plan *plan, const struct sd_sink *sink);

/* The source that samples loads and stores in a separate run, unless --events os or --samples none;
 * NULL: none available (scalediag doctor says why). */
struct sd_memsource *sd_counter_choice_memory(const struct sd_options *options, int os_only);

/* The source that samples, in another run, the events of the metrics that say where they come from
 * (formula_tables.h), of what is counted here; NULL: nothing, or --samples none. */
struct sd_memsource *sd_counter_choice_events(const struct sd_counting *counting,
	const struct sd_options *options, const struct sd_sink *sink);

#endif
