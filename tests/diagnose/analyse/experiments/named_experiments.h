/*
 * The experiments that a line of what to run next names.
 */
#ifndef SD_TEST_NAMED_EXPERIMENTS_H
#define SD_TEST_NAMED_EXPERIMENTS_H

#include <string.h>

#include "record/experiment.h"

/* Names of experiments in a command, as bits. */
static inline unsigned long named_in(const char *next)
{
	const char *const list = next ? strstr(next, "--experiments ") : NULL;
	unsigned long set = 0;

	for (int i = 0; list && i < SD_EXPERIMENT_COUNT; i++) {
		const char *const at = strstr(list, sd_experiment_info[i].name);

		/* "one-arena" is no "arena" */
		if (at && (at[-1] == ' ' || at[-1] == ','))
			set |= 1ul << i;
	}
	return set;
}

#endif
