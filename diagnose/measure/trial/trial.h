/*
 * One run of the plan: prepared, with the machine's state measured before and after, repeated if
 * the state changed, and judged.
 */
#ifndef SD_TRIAL_H
#define SD_TRIAL_H

#include "launch/environment.h"
#include "launch/held_cpus.h"
#include "launch/keeper.h"
#include "launch/shield.h"
#include "plan/measurement.h"
#include "launch/printed_rate.h"

/* The last look at the machine's state. */
struct sd_trial_line {
	struct sd_value state;
	double at; /* CLOCK_MONOTONIC, s; 0: none yet */
};

/* Shared by all runs. */
struct sd_trial {
	const struct sd_measure *measure;
	const struct sd_record *record;
	struct sd_stacks *stacks;        /* the record's; probes add names */
	struct sd_diagnosis_cache *kept; /* owned: state that probes keep between runs */
	const struct sd_sink *sink;
	double kept_at; /* s, sd_clock_s(): the last run was kept; at first: measuring began */
	struct sd_printed_rate rate;
	int has_rate;
	struct sd_trial_line *line; /* owned */
	struct sd_held_cpus *held;  /* owned; where the runs are held on their CPUs */
	struct sd_shield shield;    /* of all runs; zeroed: not permitted, or not wanted */
	char **prepare;             /* words, {n} not replaced; NULL = none */
	/* beside the record; owned */
	char *stdout_path, *stderr_path, *prepare_stdout_path, *prepare_stderr_path;
	char *markers;         /* file of the program's own regions, absolute */
	char *log_folder;      /* of the logs of preloaded libraries, absolute */
	char *mpi_folder;      /* of the ranks' logs, absolute: ranks may be on other nodes */
	char *simulation_path; /* file of the software PMU's plugin; deleted after each run */
	unsigned without;      /* flags of the probes that SD_RUN_COST leaves out */
	void (*progress)(void *ctx, double seconds); /* of the current run; or NULL */
	void *progress_ctx;
};

/* The change to a run; zeroed: none. */
struct sd_trial_change {
	const struct sd_environment_setting *variable;
	size_t n_variable;
	const struct sd_cpulist *cpus; /* NULL = the point's */
	struct sd_keeper_tune tune;
	const char *const *under; /* words that it is run under, before its own; NULL: none */
	double timeout_s;         /* 0 = that of the options */
	int total;                /* of an emulated run: only count instructions */
	int sampled; /* sample it although it is an experiment's: only samples can tell waits apart
		      */
	/* Called before each attempt, after --prepare; a nonzero result ends the run. */
	int (*before)(void *ctx);
	void (*look)(void *ctx, pid_t parent); /* as of struct sd_launch; or NULL */
	void *ctx;
};

/* Checks --rate and --prepare. 0; -EINVAL after a message; -ENOMEM. */
int sd_trial_open(struct sd_trial *t, const struct sd_measure *m, const struct sd_record *record,
	const struct sd_sink *sink);
void sd_trial_close(struct sd_trial *t); /* accepts the zeroed value */

/* How its ranks are started; NULL: the point is not given by ranks. */
const struct sd_rank_shape *sd_trial_shape(const struct sd_plan_point *p);

/*
 * Runs the program with *change (zeroed: none). Fills *run, all of it; run->point, kind and block
 * are the caller's. SD_RUN_MIXED when the machine changed its state meanwhile. 0: measured, well or
 * not; -errno as sd_launch(), -ECANCELED when --prepare failed or could not be started (said); *run
 * is empty then.
 */
int sd_trial_run(
	const struct sd_trial *t, struct sd_run *run, const struct sd_trial_change *change);

/* The environment of a run of this point and kind, without a change; freed by
 * sd_command_words_free(). 0 or -ENOMEM. */
int sd_trial_environment(const struct sd_trial *t, const struct sd_run *run, char ***envp);

/* Flags of the probes that the run is made without (probe_cost.h). */
unsigned sd_trial_without(const struct sd_trial *t, const struct sd_run *run);

/* The library preloaded into the run that this flag leaves out: UNLOGGED, UNMARKED or UNTRACED.
 * NULL: none, or it costs too much (probe_cost.h). */
const char *sd_trial_library(
	const struct sd_trial *t, const struct sd_run *run, enum sd_run_flag flag);

/* Does the run ask the program's allocator for its blocks (heap_question.h)? */
int sd_trial_asks_heap(const struct sd_trial *t, const struct sd_run *run);

/* Notes with its native lines, which are there, whether it did, or why nobody could. */
void sd_trial_note_heap(const struct sd_trial *t, struct sd_run *run);

/* Lists the part of it that is neither the user's environment nor --env: NAME=value, as of the
 * first count; a count itself is {n}, or {threads} of a rank. Replaces *out. 0 or -ENOMEM. */
int sd_trial_environment_set(const struct sd_trial *t, struct sd_texts *out);

/* The same run of a program that runs already, which is looked at for a while: as sd_window_look().
 * `switches`: how many a second are expected, 0 unknown. */
int sd_trial_look(const struct sd_trial *t, struct sd_run *run, double switches);

/* Runs the command of --prepare on all CPUs; its process tree is kept and ended like the program's.
 * 0, also without a command; -ECANCELED as above; -errno. */
int sd_trial_prepare(const struct sd_trial *t, char *const *envp, unsigned cores);

/* The machine's state between the CPUs of the largest point: the same pairs for every run, even for
 * runs at one core. */
struct sd_value sd_trial_line(const struct sd_trial *t);

/* The same before a run: what was seen just now behind the last one, if anything was. */
struct sd_value sd_trial_line_before(const struct sd_trial *t);

/* Makes the folder, for `what`. The user's may be there already; `ours`, beside the record, may be
 * no link to elsewhere. 0 or -errno, reported. */
int sd_trial_make_folder(const struct sd_trial *t, const char *folder, int ours, const char *what);

/* The file name for the next run's raw samples; the caller frees it. An existing one of ours is
 * removed: if this run could not write its own, an earlier session's would be taken for it. *out
 * NULL: samples need not be kept. 0 or -errno, reported. */
int sd_trial_keep_samples(const struct sd_trial *t, char **out);

/* A file beside the record: for FOO.json and "out", FOO.scalediag.out. The caller frees it; NULL:
 * out of memory. */
char *sd_trial_beside(const struct sd_trial *t, const char *what);

/* The same from the root. Likewise. */
char *sd_trial_beside_absolute(const struct sd_trial *t, const char *what);

/*
 * Runs copies of the program at the run's point at the same time, one on each set of CPUs into
 * which `cpus` is divided, each as large as the point's; in private folders if the options say so.
 * Fills *run and its `tried` except experiment, arm and pair. 0, also if a copy failed (see
 * run->end); shared[], if not empty, names a file that they wrote at the same time. -errno as from
 * sd_trial_run(), or -ENOTSUP after a message: the folders could not be made.
 */
int sd_trial_copies(const struct sd_trial *t, struct sd_run *run, const struct sd_cpulist *cpus,
	double timeout_s, char *shared, size_t size);

/* Runs it once under the software PMU: prepends the emulator; a probe reads the plugin's file.
 * Returns as sd_launch(). */
int sd_trial_simulated(const struct sd_trial *t, struct sd_run *run, char *const *argv,
	char *const *envp, const struct sd_trial_change *change);

/* Reports that the program failed in this run, how, and where its output is. */
void sd_trial_say_failure(const struct sd_trial *t, const struct sd_run *run);

/* Says which node's rank a signal ended first. A launcher may wait for the other ranks for ever,
 * and says of its own end only that it failed. Ranks that end because this program is `interrupted`
 * need no word. */
void sd_trial_say_first_death(const struct sd_trial *t, int interrupted);

/* Remove what copies, or a run under the software PMU, of a dead scalediag have left: as
 * sd_leftover_remove(). */
int sd_trial_copies_noted(int fd, const char *folder, const char *name);
int sd_trial_simulated_noted(int fd, const char *folder, const char *name);

#endif
