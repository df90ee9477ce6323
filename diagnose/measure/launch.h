/*
 * One run of the program: started directly, bound before exec, watched, ended, and its whole tree
 * gone afterwards.
 */
#ifndef SD_LAUNCH_H
#define SD_LAUNCH_H

#include <signal.h>

#include "cpulist.h"
#include "probe.h"
#include "run.h"
#include "sink.h"

struct sd_launch {
	char *const *argv; /* {n} already replaced */
	char *const *envp;
	const char *cwd; /* NULL = ours */
	const struct sd_cpulist *cpus;
	unsigned cores;                        /* N of the stack */
	double timeout_s;                      /* 0 = none */
	double poll_s;                         /* 0 = automatic */
	const char *stdout_path, *stderr_path; /* created or truncated; NULL = /dev/null */
	int show_output;                       /* copy both to our own as they come */
	const struct sd_probe *const *probes;  /* NULL-terminated */
	const volatile sig_atomic_t
		*stop; /* non-zero: end the run now, as Ctrl-C asks; may be NULL */
	/* Called about every 100 ms with the seconds since exec, for the progress line; may be
	 * NULL. */
	void (*progress)(void *ctx, double seconds);
	void *progress_ctx;
};

/*
 * Runs it once and fills *run (end, code, flags, digest, metrics, idle, threads; the caller fills
 * point, kind, block). When it returns, no process of the tree is alive, however it ended; a
 * SIGKILL of scalediag itself also ends the tree. 0: the program ran, run->end says how it ended
 * (also when it failed). -EINTR: stopped by *launch->stop. -ENOENT, -EACCES, -ENOEXEC, …: exec
 * failed, message said with what to do. Other -errno: could not measure, said.
 */
int sd_launch(const struct sd_launch *launch, struct sd_run *run, const struct sd_sink *sink);

#endif
