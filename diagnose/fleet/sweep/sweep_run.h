/*
 * Runs a command for each of many nodes, a bounded number at once, and collects what they print.
 */
#ifndef SD_SWEEP_RUN_H
#define SD_SWEEP_RUN_H

#include <signal.h>
#include <stddef.h>

#include "base/texts.h"

#define SD_SWEEP_PRINTED_MAX ((size_t)64 << 20) /* of one node; one that prints more has failed */

struct sd_sweep_outcome {
	const char *host;
	const char *printed; /* on its standard output; NUL-terminated */
	size_t size;
	char why[256]; /* "" it ended with 0; else its last words on standard error, or what
			  happened */
};

struct sd_sweep {
	const struct sd_texts *hosts;
	unsigned at_once;                  /* 1 or more */
	double timeout;                    /* s a node */
	const volatile sig_atomic_t *stop; /* or NULL */
	/* Appends a node's command: 0 or -ENOMEM. */
	int (*command)(void *ctx, const char *host, struct sd_texts *argv);
	/* In the order in which they end. Not 0 ends the sweep. */
	int (*done)(void *ctx, const struct sd_sweep_outcome *outcome);
	void *ctx;
};

/*
 * Each command has no input, and a process group of its own. 0; -EINTR: it was stopped; what done
 * returned; -errno. What still ran has been ended (SIGTERM, after 5 s SIGKILL) and reaped.
 */
int sd_sweep_run(const struct sd_sweep *sweep);

/* Runs one command; *printed is its standard output, NUL-terminated, which the caller frees. 0;
 * -ECHILD: it failed, `why` says how; -EINTR; -errno. */
int sd_sweep_run_one(const struct sd_texts *argv, double timeout, const volatile sig_atomic_t *stop,
	char **printed, size_t *size, char why[256]);

#endif
