#include "run/counter_choice.h"

#include <errno.h>
#include <string.h>

#include "base/configs.h"

/* Passes at most: with two runs of each, no more than a point of short runs has anyway. */
#define MOST_PASSES 5u

/* What the causes are judged by, the most telling first. A CPU family has some of them. */
static const enum sd_role wanted[] = {
	SD_ROLE_CYCLES,
	SD_ROLE_INSTRUCTIONS,
	SD_ROLE_REF_CYCLES,
	/* bandwidth and capacity */
	SD_ROLE_LLC_LINES_IN,
	SD_ROLE_DRAM_READ_LINES,
	SD_ROLE_DRAM_WRITE_LINES,
	SD_ROLE_DRAM_LINES,
	SD_ROLE_LLC_LOAD_MISSES,
	SD_ROLE_LLC_MISSES,
	/* sharing */
	SD_ROLE_HITM_LOAD,
	SD_ROLE_HITM_STORE,
	SD_ROLE_HITM_ANY,
	SD_ROLE_HITM_LOAD_REMOTE,
	SD_ROLE_HITM_ANY_REMOTE,
	SD_ROLE_HITM_BUS_SELF,
	SD_ROLE_HITM_BUS,
	SD_ROLE_HITM_SUPPLIED,
	SD_ROLE_REMOTE_ACCESSES,
	SD_ROLE_MEMORY_ORDER_CLEARS,
	/* address translation */
	SD_ROLE_DTLB_WALKS,
	SD_ROLE_DTLB_LOAD_WALKS,
	SD_ROLE_DTLB_STORE_WALKS,
	SD_ROLE_DTLB_WALK_CYCLES,
	SD_ROLE_DTLB_LOAD_WALK_CYCLES,
	SD_ROLE_DTLB_STORE_WALK_CYCLES,
	SD_ROLE_STLB_HITS,
	/* where cycles went */
	SD_ROLE_STALL_BACKEND,
	SD_ROLE_STALL_FRONTEND,
	SD_ROLE_STALL_MEMORY,
	SD_ROLE_STALL_L2,
	SD_ROLE_STALL_L3,
	SD_ROLE_TD_SLOTS,
	SD_ROLE_TD_RETIRING,
	SD_ROLE_TD_ISSUED,
	SD_ROLE_TD_FRONTEND,
	SD_ROLE_TD_RECOVERY,
	SD_ROLE_TD_BACKEND,
	SD_ROLE_TD_BADSPEC,
	SD_ROLE_TD_NATIVE_RETIRING,
	SD_ROLE_TD_NATIVE_BADSPEC,
	SD_ROLE_TD_NATIVE_FRONTEND,
	SD_ROLE_TD_NATIVE_BACKEND,
	SD_ROLE_TD_NATIVE_MEMORY,
	SD_ROLE_TD_MEMORY,
	SD_ROLE_TD_STALL,
	SD_ROLE_TD_SMT,
	/* the way to memory */
	SD_ROLE_OFFCORE_READS,
	SD_ROLE_OFFCORE_OCCUPANCY,
	SD_ROLE_L1D_OCCUPANCY,
	SD_ROLE_DEMAND_READS,
	SD_ROLE_DEMAND_OCCUPANCY,
	SD_ROLE_BUS_CLOCKS,
	SD_ROLE_BUS_READ_LINES,
	SD_ROLE_BUS_IFETCH_LINES,
	SD_ROLE_BUS_OCCUPANCY,
	SD_ROLE_BANDWIDTH_CYCLES,
	SD_ROLE_RFO,
	SD_ROLE_STREAMING_WRITES,
	SD_ROLE_L2_LINES_IN,
	SD_ROLE_L2_WRITEBACKS,
	SD_ROLE_L2_HWPF_LINES,
	SD_ROLE_L2_HWPF_USELESS,
	SD_ROLE_L1D_ACCESSES,
	SD_ROLE_L1D_MISSES,
	/* locks and spinning */
	SD_ROLE_LOCKS,
	SD_ROLE_LOCK_CYCLES,
	SD_ROLE_SPLIT_LOCKS,
	SD_ROLE_LOCK_FAILURES,
	SD_ROLE_PAUSES,
};

static void raise_repeats(struct sd_plan *plan, const struct sd_sink *sink)
{
	const unsigned passes = (unsigned)plan->n_pass;

	if (plan->min_repeats == 0) {
		/* automatic: each pass twice (schedule.c) */
		if (plan->max_repeats && plan->max_repeats < 2 * passes)
			plan->max_repeats = 2 * passes;
		return;
	}
	if (plan->min_repeats >= passes)
		return;
	sd_say(sink, SD_LEVEL_NOTE,
		"%u runs a point instead of %u: the hardware events take as many passes "
		"(--multiplex: one; --events os: none)",
		passes, plan->min_repeats);
	plan->min_repeats = passes;
	if (plan->max_repeats < passes)
		plan->max_repeats = passes;
}

static int refuse(int error, const struct sd_sink *sink)
{
	sd_say(sink, SD_LEVEL_ERROR,
		error == -EBUSY ? "--events hw: others hold all hardware counters; `scalediag "
				  "doctor` says who may"
		: error == -EACCES
			? "--events hw: the hardware counters are not open to this user; "
			  "`scalediag doctor` says what opens them"
			: "--events hw: there are no hardware counters here; `scalediag "
			  "doctor` says why, and what would give some");
	return error;
}

static struct sd_counter_plan_ask ask_for(int multiplex)
{
	return (struct sd_counter_plan_ask){.role = wanted,
		.n_role = sizeof wanted / sizeof *wanted,
		.most = MOST_PASSES,
		.multiplex = multiplex,
		.maps = sd_configs_dir()};
}

int sd_counter_choice_plan(struct sd_counting **counting, const struct sd_options *options,
	struct sd_plan *plan, const struct sd_sink *sink)
{
	const struct sd_counter_plan_ask ask = ask_for(options->multiplex);
	int rc;

	*counting = NULL;
	if (options->events == SD_EVENTS_OS)
		return 0;
	rc = sd_counter_plan_open(counting, &ask, sink);
	if (rc == -EBUSY && options->events != SD_EVENTS_HW)
		sd_say(sink, SD_LEVEL_NOTE,
			"hardware counters: none is counted, as others hold all of them");
	if (rc == -ENODEV || rc == -EACCES || rc == -EBUSY)
		return options->events == SD_EVENTS_HW ? refuse(rc, sink) : 0;
	if (!rc)
		rc = sd_counter_plan(*counting, plan);
	if (rc) {
		sd_say(sink, SD_LEVEL_ERROR, "the hardware counters: %s", strerror(-rc));
		return rc;
	}
	raise_repeats(plan, sink);
	return 0;
}

int sd_counter_choice_resume(
	struct sd_counting **counting, const struct sd_plan *plan, const struct sd_sink *sink)
{
	const struct sd_counter_plan_ask ask = ask_for(plan->multiplex);

	*counting = NULL;
	if (plan->n_pass == 0)
		return 0;
	if (sd_counter_plan_open(counting, &ask, sink) == 0 &&
		sd_counter_plan_fits(*counting, plan))
		return 0;
	sd_say(sink, SD_LEVEL_ERROR,
		"--resume: the hardware counters are not those of the record any more; start "
		"afresh without --resume");
	return -EINVAL;
}

struct sd_memsource *sd_counter_choice_memory(const struct sd_options *options, int os_only)
{
	struct sd_memsource *source = NULL;
	char why[160];

	if (!os_only && !options->no_samples)
		(void)sd_access_source_open(&source, NULL, sd_configs_dir(), why, sizeof why);
	return source;
}
