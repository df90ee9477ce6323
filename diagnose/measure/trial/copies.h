/*
 * Runs several programs at once, each on its own CPUs and with its own keeper: copies that share
 * nothing but the hardware.
 */
#ifndef SD_COPIES_H
#define SD_COPIES_H

#include <signal.h>

#include "base/cpulist.h"
#include "launch/shield.h"
#include "record/run.h"
#include "base/sink.h"

/* One of them. */
struct sd_copies_one {
	struct sd_cpulist cpus;          /* borrowed */
	const char *cwd;                 /* NULL = ours */
	const char *out_path, *err_path; /* created or truncated */
	/* how it ended */
	enum sd_end end;
	int code;
};

struct sd_copies {
	char *const *argv, *const *envp;
	struct sd_copies_one *one; /* n */
	size_t n;
	int any_status;                 /* one that is not 0 is taken for 0 */
	const struct sd_shield *shield; /* as of struct sd_launch */
	double timeout_s;               /* 0 = none */
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, double seconds); /* or NULL */
	void *progress_ctx;
};

/*
 * Starts all and waits for all; none of their processes is left. Fills copy[n] (wall, CPU time,
 * output digest), each one's end, and in *run their totals: wall of the longest, CPU times, the
 * first bad end. `shared`, if not empty on return, names a file that two of them had open for
 * writing at the same time. 0: they ran, well or not; -EINTR; -ENOEXEC, -errno said.
 */
int sd_copies_run(const struct sd_copies *c, struct sd_copy *copy, struct sd_run *run, char *shared,
	size_t size, const struct sd_sink *sink);

#endif
