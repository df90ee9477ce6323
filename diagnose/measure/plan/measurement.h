/*
 * What is to be measured, with what, and who watches: what all of the measuring is given.
 */
#ifndef SD_MEASUREMENT_H
#define SD_MEASUREMENT_H

#include <signal.h>

#include "probe/probe.h"
#include "record/options.h"
#include "record/record.h"

struct sd_experiments;
struct sd_record_save;

/* What a person watching wants to know; all times in seconds. */
struct sd_progress {
	size_t done, planned; /* runs; planned grows when intervals ask for more */
	unsigned cores;       /* of the run in flight */
	double run_s, elapsed_s;
	double left_s;                  /* estimate; < 0 unknown yet */
	const struct sd_record *record; /* so far */
	/* "warm-up", "block 3 of 5", "to know it better than ±3.1 %", "drift check" */
	const char *why;
};

struct sd_measure {
	const struct sd_options *options;
	const struct sd_probe *const *probes;
	const struct sd_probe *const *simulated_probes; /* of runs under the software PMU */
	const char *sim_plugin;                         /* path; NULL: the plan has no simulation */
	const struct sd_counting *counting;             /* whose passes the plan has; NULL = none */
	const struct sd_memsource *memory; /* samples loads and stores in a run; NULL = none */
	int os_only;                       /* leave hardware counters alone */
	const char *record_path;
	struct sd_record_save *save; /* of record_path; NULL: it is written there at once */
	/*
	 * After the runs of the plan: *index becomes the plan's experiment of which one more pair
	 * of runs would say most, a pure function of the record. 1; 0 when none would; -errno. NULL
	 * = no experiments.
	 */
	int (*choose)(void *ctx, const struct sd_record *record, size_t *index);
	void *choose_ctx;
	const struct sd_experiments *experiments; /* what they need; its keep is ours to set */
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, const struct sd_progress *p); /* or NULL */
	void *progress_ctx;
};

#endif
