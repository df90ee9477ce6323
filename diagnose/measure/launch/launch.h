/*
 * One run of the program: started directly, bound before exec, watched, and ended with its whole
 * tree.
 */
#ifndef SD_LAUNCH_H
#define SD_LAUNCH_H

#include <signal.h>

#include "base/cpulist.h"
#include "launch/keeper.h"
#include "launch/shield.h"
#include "probe/probe.h"
#include "record/run.h"
#include "base/sink.h"

struct sd_held_cpus;

struct sd_launch {
	char *const *argv; /* {n} already replaced */
	char *const *envp;
	const char *cwd;                       /* NULL = ours */
	const struct sd_cpulist *cpus;         /* NULL = all we may use */
	unsigned cores;                        /* N of the stack */
	unsigned lane_steps;                   /* of the run's lanes at most; 0: none */
	double timeout_s;                      /* 0 = none */
	double poll_s;                         /* 0 = automatic */
	const char *stdout_path, *stderr_path; /* created or truncated; NULL = /dev/null */
	int show_output;                       /* copy both to our own as they come */
	/* a launcher has placed us: the program stays on our CPUs, `cpus`, and has our standard
	 * descriptors, which are not read back */
	int in_place;
	const struct sd_probe *const *probes; /* NULL-terminated */
	const struct sd_counting *counting;   /* hardware counters; NULL = none */
	unsigned pass;                        /* which pass of these this run counts */
	struct sd_stacks *stacks; /* of the record, for names found by probes; NULL = no names */
	struct sd_diagnosis_cache *kept; /* state that probes keep between runs, or NULL */
	struct sd_target_trees *trees;   /* of struct sd_probe_target, or NULL */
	const struct sd_probe_simulation *simulation; /* argv is an emulator's; NULL: not */
	const struct sd_memsource *memory; /* to sample by the counters with; NULL = not */
	int os_only;      /* leave hardware counters alone; 2: all counters of its processes */
	int no_samples;   /* --samples none */
	double thin;      /* so many times fewer samples and recorded switches; 0 = 1: all */
	int system_calls; /* count them, too */
	int any_status;   /* one that is not 0 is no failure (SD_RUN_ANY_STATUS) */
	double expect_s;  /* its earlier duration; 0 unknown */
	double expect_switches; /* switches a second in earlier runs, the most; 0 unknown */
	const struct sd_accountant *accountant; /* attributes what probes see; NULL = nobody */
	const char *markers;                    /* file of the program's own regions; NULL = none */
	const char *region;                     /* the one that is judged alone; NULL = none */
	const char
		*log_folder; /* where libraries preloaded into it leave their logs; NULL = none */
	const char *mpi_folder;   /* where MPI ranks leave their logs; NULL = not MPI */
	const char *keep_samples; /* file for the raw samples, or NULL */
	int *keep_error;          /* set to -errno if writing it failed; or NULL */
	struct sd_keeper_tune tune;
	struct sd_held_cpus *held;      /* what holds it and later runs on their CPUs; NULL: what
					 * is made for this one */
	const struct sd_shield *shield; /* precedence for it (SD_RUN_SHIELDED); NULL = none */
	const volatile sig_atomic_t
		*stop; /* non-zero: end the run now, as Ctrl-C asks; may be NULL */
	/* Called about every 100 ms with the seconds since exec, for the progress line; may be
	 * NULL. */
	void (*progress)(void *ctx, double seconds);
	void *progress_ctx;
	/* Called as often, and after 2, 4, 8 ms and so on, with the program's parent, to inspect
	 * its processes; may be NULL. */
	void (*look)(void *ctx, pid_t parent);
	void *look_ctx;
};

/*
 * Runs it once and fills *run (start, end, code, flags, digest, metrics, idle, threads; the caller
 * fills point, kind, block). On return no process of the tree is alive, however it ended; even a
 * SIGKILL of scalediag ends the tree (keeper.h).
 *
 * The program is looked up as by execvp(), relative paths in `cwd`. Its stdin is ours if that is a
 * file, else /dev/null; stdout and stderr are files even if shown, so that no reader slows it down;
 * it has its own process group and session without a terminal. It is bound before its exec and, if
 * permitted, confined by a cpuset cgroup (SD_RUN_HELD). If other CPUs are available, this process
 * keeps off the program's.
 *
 * wall is the time from the program's call of exec until the keeper reaped its main process. CPU
 * times, switches, faults, block I/O and the largest resident set (never below this process's own,
 * which the kernel counts before the exec) are the kernel's accounting of everything reaped, unless
 * a probe gave a number; the kernel does not account for children whose parent ignores SIGCHLD.
 *
 * 0: the program ran, even if it failed: run->end says how it ended; after a timeout `code` is the
 * signal or status it then ended with. *stop 1 asks the tree to end (SIGTERM, SIGKILL after 3 s, of
 * an MPI launcher after 40), a larger value kills it. -EINTR: stopped by *stop. -ENOEXEC: the
 * program could not be started, for whatever reason; a message says what to do. -ENOMEM: without a
 * message. Any other -errno (never -ECHILD), with a message: could not measure.
 */
int sd_launch(const struct sd_launch *launch, struct sd_run *run, const struct sd_sink *sink);

#endif
