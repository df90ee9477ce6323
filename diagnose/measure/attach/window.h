/*
 * A look at a running program for a while: what a run is of a program that is started.
 */
#ifndef SD_WINDOW_H
#define SD_WINDOW_H

#include <signal.h>

#include "attach/attached.h"
#include "attach/request_latency.h"
#include "attach/work_counter.h"
#include "base/sink.h"
#include "probe/probe.h"
#include "record/run.h"

struct sd_window {
	struct sd_attached *program; /* its processes are listed anew */
	double seconds;
	const struct sd_work_counter *work;   /* what it gets done; NULL: not counted */
	struct sd_latency *latency;           /* how long its requests take; NULL: not watched */
	const struct sd_probe *const *probes; /* NULL-terminated */
	/* cpus and cores of the stack, and what probes need; pid and `running` are filled in */
	struct sd_probe_target target;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, double seconds); /* about every .1 s; or NULL */
	void *progress_ctx;
};

/*
 * Fills *run. 0; -EINTR: *stop was set; after a message: -ESRCH: the program has ended; -ENODATA:
 * the work could not be counted; -ENOMEM (no message). Nothing of the program is changed.
 */
int sd_window_look(const struct sd_window *w, struct sd_run *run, const struct sd_sink *sink);

#endif
