/*
 * A command that prints how much a program has got done (--rate-command): `redis-cli info stats`.
 */
#ifndef SD_COUNTER_COMMAND_H
#define SD_COUNTER_COMMAND_H

#include <signal.h>

#include "attach/work_counter.h"
#include "launch/printed_rate.h"

struct sd_counter_command {
	struct sd_work_counter counter; /* what it offers */
	char **words;                   /* owned */
	struct sd_printed_rate number;
	const char *output; /* file that it prints to; borrowed */
	const volatile sig_atomic_t *stop;
};

/*
 * `command` is split into words, without a shell; `pattern` finds the number in what it prints, as
 * --rate does (its last match), NULL: the last number. 0; -EINVAL after a message; -ENOMEM (no
 * message). *c must not move afterwards.
 */
int sd_counter_command_open(struct sd_counter_command *c, const char *command, const char *pattern,
	const char *output, const volatile sig_atomic_t *stop, const struct sd_sink *sink);
void sd_counter_command_close(struct sd_counter_command *c); /* accepts the zeroed value */

#endif
