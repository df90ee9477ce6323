/*
 * One run of the program: started directly, bound before exec, watched, ended, and its whole tree
 * gone afterwards.
 */
#ifndef SD_LAUNCH_H
#define SD_LAUNCH_H

#include <signal.h>

#include "base/cpulist.h"
#include "launch/keeper.h"
#include "probe/probe.h"
#include "record/run.h"
#include "base/sink.h"

struct sd_launch {
	char *const *argv; /* {n} already replaced */
	char *const *envp;
	const char *cwd;                       /* NULL = ours */
	const struct sd_cpulist *cpus;         /* NULL = all we may use */
	unsigned cores;                        /* N of the stack */
	double timeout_s;                      /* 0 = none */
	double poll_s;                         /* 0 = automatic */
	const char *stdout_path, *stderr_path; /* created or truncated; NULL = /dev/null */
	int show_output;                       /* copy both to our own as they come */
	const struct sd_probe *const *probes;  /* NULL-terminated */
	const struct sd_counting *counting;    /* hardware counters; NULL = none */
	unsigned pass;                         /* of them, this run's */
	struct sd_stacks *stacks;        /* of the record, for what probes name; NULL = no names */
	struct sd_diagnosis_cache *kept; /* what probes keep from run to run, or NULL */
	const struct sd_probe_simulation *simulation; /* argv is an emulator's; NULL: not */
	const struct sd_memsource *memory; /* to sample loads and stores with; NULL = not */
	int os_only;                       /* leave hardware counters alone */
	int no_samples;                    /* --samples none */
	double expect_s;                   /* how long it took before; 0 unknown */
	double expect_switches;            /* a second, at most, as it made before; 0 unknown */
	const struct sd_accountant *accountant; /* attributes what probes see; NULL = nobody */
	const char *keep_samples;               /* file for the raw samples, or NULL */
	int *keep_error;                        /* why they are not in it, -errno; or NULL */
	struct sd_keeper_tune tune;
	const volatile sig_atomic_t
		*stop; /* non-zero: end the run now, as Ctrl-C asks; may be NULL */
	/* Called about every 100 ms with the seconds since exec, for the progress line; may be
	 * NULL. */
	void (*progress)(void *ctx, double seconds);
	void *progress_ctx;
	/* As often, with the parent of the program: may look at its processes; may be NULL. */
	void (*look)(void *ctx, pid_t parent);
	void *look_ctx;
};

/*
 * Runs it once and fills *run (start, end, code, flags, digest, metrics, idle, threads; the caller
 * fills point, kind, block). When it returns, no process of the tree is alive, however it ended; a
 * SIGKILL of scalediag itself also ends the tree (keeper.h).
 *
 * The program is found as execvp() finds it, a relative path in `cwd`; its stdin is /dev/null, its
 * stdout and stderr are files even when they are shown, so that no reader slows it; it is alone in
 * a process group and session without a terminal. It is bound before its exec and, where we may,
 * held by a cpuset cgroup (SD_RUN_HELD). While CPUs are left over, this process keeps off those of
 * the program.
 *
 * wall is from the program's call of exec until the keeper reaped its main process. CPU times,
 * switches, faults, block I/O and the largest resident set (never below this process's own, which
 * the kernel counts before the exec) are the kernel's accounting of everything that was reaped,
 * unless a probe gave a number: what the kernel does not account for is a child whose parent
 * ignores SIGCHLD.
 *
 * 0: the program ran, run->end says how it ended (also when it failed); after a timeout `code` is
 * the signal or status it then ended with. A first stop asks the tree to end (SIGTERM, SIGKILL
 * after 3 s), a value of *stop above 1 kills it. -EINTR: stopped by *launch->stop. -ENOEXEC: the
 * program could not be started, for whatever reason; message said with what to do. -ENOMEM: not
 * said. Any other -errno (never -ENOEXEC, -ECHILD): could not measure, said.
 */
int sd_launch(const struct sd_launch *launch, struct sd_run *run, const struct sd_sink *sink);

#endif
