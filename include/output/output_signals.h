/*
 * Signals that would end us in the middle of writing a file wait until it is done.
 */
#ifndef SD_OUTPUT_SIGNALS_H
#define SD_OUTPUT_SIGNALS_H

#include <signal.h>

struct sd_output_signals {
	sigset_t before;
};

/* SIGXFSZ, which the kernel sends past `ulimit -f`, before we could say so; and, if `polite`,
 * SIGINT, SIGTERM and SIGHUP: not for what may block for ever. */
void sd_output_signals_hold(struct sd_output_signals *s, int polite);

/* `rc`, what came of the writing: of -EFBIG the signal that came with it is dropped. */
void sd_output_signals_release(const struct sd_output_signals *s, int rc);

#endif
